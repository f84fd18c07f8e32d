// Evaluated in a View's document before its picture is taken: animations stand at their end, or at their start where they
// never end; carets are hidden; fonts and pictures have come. Ends in any case after a while.

(async () => {
  const MOST_MILLISECONDS = 2000;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { caret-color: transparent !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const stop = (animation) => {
    const end = Number(animation.effect?.getComputedTiming().endTime ?? 0);
    animation.pause();
    animation.currentTime = Number.isFinite(end) ? end : 0;
  };
  for (const animation of document.getAnimations()) {
    // One without a timeline cannot be moved.
    try { stop(animation); } catch { continue; }
  }
  const pictures = [...document.images].map((image) => image.decode().catch(() => null));
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const settled = Promise.all([document.fonts.ready, ...pictures]).then(drawn);
  await Promise.race([settled, new Promise((done) => setTimeout(done, MOST_MILLISECONDS))]);
})()
