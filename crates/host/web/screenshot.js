// A picture of the app. A page cannot read what a frame of another origin shows, so the browser is asked for this tab, which the
// person has to allow, and everything but the app is cut away.

/** @import {Store} from "./store.js" */

/** @param {Store} store */
export async function saveScreenshot(store) {
  const slot = /** @type {HTMLElement} */ (document.querySelector(".app-slot"));
  try {
    // Not every browser knows how to offer this very tab.
    const wanted = /** @type {DisplayMediaStreamOptions} */ ({ video: { displaySurface: "browser" }, preferCurrentTab: true });
    const stream = await navigator.mediaDevices.getDisplayMedia(wanted);
    const blob = await picture(stream, slot.getBoundingClientRect()).finally(() => stream.getTracks().forEach((track) => track.stop()));
    const url = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), { href: url, download: `${store.get().shown?.tool ?? "app"}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    const message = `no picture was taken: ${error instanceof Error ? error.message : error}`;
    store.set({ problem: { message, culprit: "the browser", repair: "allow this tab to be shared when the browser asks" } });
  }
}

/** @param {MediaStream} stream @param {DOMRect} rect @returns {Promise<Blob>} */
async function picture(stream, rect) {
  const video = Object.assign(document.createElement("video"), { srcObject: stream, muted: true });
  await video.play();
  const scale = video.videoWidth / window.innerWidth;
  const canvas = Object.assign(document.createElement("canvas"), { width: Math.round(rect.width * scale), height: Math.round(rect.height * scale) });
  canvas.getContext("2d")?.drawImage(video, -rect.left * scale, -rect.top * scale);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is empty"))), "image/png"));
}
