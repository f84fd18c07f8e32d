
"use strict";
(() => {
  const $ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const items = $(".item").map((node) => ({
    node,
    sections: node.dataset.section.split(" "),
    keys: node.dataset.keys.split(" ").map((key) => key.split("@")),
    text: node.textContent.toLowerCase(),
  }));
  const form = byId("filters");
  const chips = $(".chip");
  const [search, section, protocol] = [byId("search"), byId("section"), byId("protocol")];

  const filter = () => {
    const wanted = new Set(chips.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.outcome));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) {
      const fits = item.keys.some(([outcome, version]) => wanted.has(outcome) && (!protocol.value || version === protocol.value));
      const here = !section.value || item.sections.includes(section.value);
      item.node.hidden = !(fits && here && words.every((word) => item.text.includes(word)));
    }
    for (const part of $(".part")) part.hidden = !part.querySelector(".item:not([hidden])");
    for (const list of $(".findings, .checks")) {
      const left = $(".item:not([hidden])", list).length;
      list.querySelector(".none").hidden = left > 0;
      const count = list.querySelector(".count");
      if (count) count.textContent = left;
    }
  };

  const press = (chip, on) => chip.setAttribute("aria-pressed", String(on));
  const reset = () => {
    chips.forEach((chip) => press(chip, true));
    search.value = section.value = protocol.value = "";
    filter();
  };

  if (form) {
    form.hidden = false;
    $(".keys").forEach((node) => (node.hidden = false));
    form.addEventListener("submit", (event) => event.preventDefault());
    chips.forEach((chip) =>
      chip.addEventListener("click", (event) => {
        const on = chip.getAttribute("aria-pressed") === "true";
        const alone = chips.every((other) => other === chip || other.getAttribute("aria-pressed") === "false");
        // The first choice is "only these"; taking the last one away brings all back.
        if (chips.every((other) => other.getAttribute("aria-pressed") === "true") && !event.shiftKey) {
          chips.forEach((other) => press(other, other === chip));
        } else if (on && alone) {
          chips.forEach((other) => press(other, true));
        } else {
          press(chip, !on);
        }
        filter();
      }),
    );
    search.addEventListener("input", filter);
    section.addEventListener("change", filter);
    protocol.addEventListener("change", filter);
    byId("reset").addEventListener("click", reset);
    $(".cell").forEach((cell) =>
      cell.addEventListener("click", () => {
        section.value = cell.dataset.section;
        protocol.value = cell.dataset.protocol;
        filter();
        form.scrollIntoView();
      }),
    );
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "/" && !typing) {
        event.preventDefault();
        search.focus();
      } else if (event.key === "Escape") {
        reset();
        search.blur();
      }
    });
  }

  $(".copy").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      getSelection().selectAllChildren(code);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Selected";
      }
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
  });

  const themes = ["auto", "light", "dark"];
  const theme = byId("theme");
  const show = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    theme.textContent = `Theme: ${name}`;
  };
  let current = "auto";
  try {
    current = themes.find((name) => name === localStorage.getItem("yardstick-theme")) ?? "auto";
  } catch {
    // A page from a file may have no storage; the choice then lasts as long as the page.
  }
  show(current);
  theme.hidden = false;
  theme.addEventListener("click", () => {
    current = themes[(themes.indexOf(current) + 1) % themes.length];
    show(current);
    try {
      localStorage.setItem("yardstick-theme", current);
    } catch {
      // As above.
    }
  });

  const reveal = () => {
    const node = byId(decodeURIComponent(location.hash.slice(1)));
    for (let at = node; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    node?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = $(".card details:not([open]), .part:not([open])");
    closed.forEach((node) => (node.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((node) => (node.open = false)));
})();
