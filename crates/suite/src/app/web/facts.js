// Evaluated in a View's document: facts that a check can judge, as plain data. Changes nothing that a person sees.

(() => {
  "use strict";
  const MOST = 40;
  const root = document.documentElement;
  const all = [...document.querySelectorAll("body *")];
  const styleOf = (node) => getComputedStyle(node);

  const isVisible = (node) => {
    const box = node.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) return false;
    return node.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  };
  const named = (node) => {
    const text = (node.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    const id = node.id ? `#${node.id}` : node.classList[0] ? `.${node.classList[0]}` : "";
    return `<${node.localName}${id}>${text ? ` "${text}"` : ""}`;
  };

  /** A colour as red, green, blue (0 to 255) and alpha, whatever its notation. */
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colorOf = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "#000";
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { red, green, blue, alpha: alpha / 255 };
  };
  const over = (above, below) => ({
    red: above.red * above.alpha + below.red * (1 - above.alpha),
    green: above.green * above.alpha + below.green * (1 - above.alpha),
    blue: above.blue * above.alpha + below.blue * (1 - above.alpha),
    alpha: 1,
  });
  const luminance = ({ red, green, blue }) => {
    const [r, g, b] = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  /** What the browser paints behind everything. */
  const backdrop = () => {
    const probe = document.createElement("i");
    probe.style.cssText = "position:fixed;width:0;height:0;color:Canvas";
    root.append(probe);
    const color = colorOf(styleOf(probe).color);
    probe.remove();
    return color;
  };
  const canvasColor = backdrop();
  /** The colour behind a node; none where a picture, a gradient or a filter is in between. */
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      const style = styleOf(at);
      if (style.backgroundImage !== "none" || style.filter !== "none" || style.mixBlendMode !== "normal") return null;
      if (Number(style.opacity) < 1) return null;
      const color = colorOf(style.backgroundColor);
      if (color.alpha > 0) layers.push(color);
      if (color.alpha === 1) break;
    }
    return layers.reverse().reduce((below, above) => over(above, below), canvasColor);
  };

  const shownTexts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || !node || node.closest("script, style, noscript, template")) continue;
      if (node.namespaceURI !== "http://www.w3.org/1999/xhtml" || !isVisible(node)) continue;
      found.push(node);
    }
    return [...new Set(found)];
  };
  const isDisabled = (node) => Boolean(node.closest(":disabled, [aria-disabled=true], [inert]"));
  const texts = shownTexts();
  const contrasts = texts.filter((node) => !isDisabled(node)).flatMap((node) => {
    const below = behind(node);
    if (!below) return [];
    const ratio = contrast(over(colorOf(styleOf(node).color), below), below);
    return [{ node: named(node), ratio: Math.round(ratio * 100) / 100 }];
  });

  const CONTROLS =
    "button, a[href], input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], " +
    "[role=checkbox], [role=switch], [role=tab], [role=slider], [role=menuitem], [role=textbox]";
  const nameOf = (node) => {
    const byId = (ids) => ids.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const inner = [...node.querySelectorAll("img[alt], svg title, [aria-label]")]
      .map((part) => part.getAttribute("alt") ?? part.getAttribute("aria-label") ?? part.textContent).join(" ");
    const labels = [...(node.labels ?? [])].map((label) => label.textContent).join(" ");
    const value = node.localName === "input" && ["submit", "button", "reset"].includes(node.type)
      ? node.value || node.type : "";
    const parts = [
      node.getAttribute("aria-label"), byId(node.getAttribute("aria-labelledby") ?? ""), labels, value,
      node.localName === "select" ? "" : node.textContent, inner, node.title, node.getAttribute("placeholder"),
      node.getAttribute("alt"),
    ];
    return parts.find((part) => part?.trim())?.trim() ?? "";
  };
  const isHidden = (node) => Boolean(node.closest("[aria-hidden=true]"));
  const controls = all.filter((node) => node.matches(CONTROLS) && isVisible(node) && !isHidden(node));
  const focusable = (node) => node.tabIndex >= 0 || isDisabled(node);
  // One tab stop for a group of tabs, radios or menu items is good practice.
  const GROUPS = "[role=tablist], [role=radiogroup], [role=menu], [role=toolbar], [role=grid]";
  const isRoving = (node) => Boolean(node.closest(GROUPS));
  const clickable = all.filter((node) => isVisible(node) && (node.hasAttribute("onclick") || node.matches(CONTROLS)));

  /** The custom properties that the document's styles use, with the values that they have. */
  const variables = () => {
    const texts = [...document.querySelectorAll("[style]")].map((node) => node.getAttribute("style"));
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
      try {
        texts.push(...[...sheet.cssRules].map((rule) => rule.cssText));
      } catch {
        // A sheet of another origin cannot be read.
      }
    }
    const names = new Set(texts.flatMap((text) => [...text.matchAll(/var\(\s*(--[\w-]+)/g)].map(([, name]) => name)));
    const style = styleOf(document.body);
    return Object.fromEntries([...names].slice(0, 500).map((name) => [name, style.getPropertyValue(name)]));
  };

  const MEDIA = "img, svg, canvas, video, input, button, iframe, progress, meter";
  const media = all.filter((node) => node.matches(MEDIA) && isVisible(node));
  const body = document.body?.getBoundingClientRect();
  return {
    title: document.title.trim(),
    language: root.lang.trim(),
    text: (document.body?.innerText ?? "").slice(0, 20000),
    shown: texts.length + media.length,
    background: (() => {
      const color = [document.body, root].map((node) => node && behind(node)).find(Boolean) ?? canvasColor;
      return { color: [color.red, color.green, color.blue].map(Math.round).join(","), luminance: luminance(color) };
    })(),
    worstContrasts: contrasts.sort((one, other) => one.ratio - other.ratio).slice(0, MOST),
    nameless: controls.filter((node) => !nameOf(node)).map(named).slice(0, MOST),
    unreachable: clickable.filter((node) => !focusable(node) && !isRoving(node)).map(named).slice(0, MOST),
    controls: controls.length,
    variables: variables(),
    mains: all.filter((node) => node.matches("main, [role=main]") && isVisible(node)).length,
    width: root.clientWidth,
    height: root.clientHeight,
    scrollWidth: root.scrollWidth,
    scrollHeight: root.scrollHeight,
    contentHeight: Math.ceil(body?.height ?? 0),
  };
})()
