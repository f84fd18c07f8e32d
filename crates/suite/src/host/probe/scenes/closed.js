// A View that declares nothing: where it is, what it reaches, and what runs in it.

/* global probe, facts, sleep, initialize, attempt, scene, heard, report, reachAll, surroundings */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 4000);
  await surroundings();
  await reachAll(probe.undeclared, "undeclared");
  await attempt("eval", () => (0, eval)("6 * 7"));
  await attempt("dataImage", () => loadImage("data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="));
  await attempt("inlineStyle", () => {
    const style = document.head.appendChild(document.createElement("style"));
    style.textContent = "#probe-styled { width: 77px }";
    const box = document.body.appendChild(document.createElement("div"));
    box.id = "probe-styled";
    return box.getBoundingClientRect().width;
  });
  await attempt("base", () => {
    const base = document.createElement("base");
    base.href = `${probe.undeclared}/base/`;
    document.head.prepend(base);
    const found = document.baseURI;
    base.remove();
    return { base: found, foreign: probe.undeclared };
  });
  await report("tried");
  await sleep(500);
});
