// Takes a screenshot of the app. A page cannot read a frame of another origin, so the page captures this tab, which the
// person has to allow, and crops it to the app.

/** @import {Store} from "./store.js" */

/** How long the browser may take to deliver a picture of the tab. */
const CAPTURE_TIMEOUT_MS = 5000;
/** How long the tab is drawn without the browser's own question and bar before it is captured. */
const SETTLE_MS = 300;

/** @param {Store} store */
export async function saveScreenshot(store) {
  const slot = /** @type {HTMLElement} */ (document.querySelector(".app-slot"));
  try {
    // Only a page that was loaded from this machine or over https may capture.
    if (!navigator.mediaDevices?.getDisplayMedia) throw new Error("this browser cannot capture a tab here");
    const stream = await navigator.mediaDevices.getDisplayMedia(wantedCapture());
    const blob = await picture(stream, slot).finally(() => stream.getTracks().forEach((track) => track.stop()));
    const url = URL.createObjectURL(blob);
    Object.assign(document.createElement("a"), {
      href: url,
      download: `${store.get().shown?.tool ?? "app"}.png`,
    }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    const message = `the screenshot failed: ${error instanceof Error ? error.message : error}`;
    store.set({
      problem: { message, culprit: "the browser", repair: "allow this tab to be shared when the browser asks" },
    });
  }
}

/** The current tab, in its full size. Not every browser can offer the current tab. */
const wantedCapture = () =>
  /** @type {DisplayMediaStreamOptions} */ ({
    video: {
      displaySurface: "browser",
      width: { ideal: Math.round(innerWidth * devicePixelRatio) },
      height: { ideal: Math.round(innerHeight * devicePixelRatio) },
    },
    preferCurrentTab: true,
  });

/** @param {MediaStream} stream @param {HTMLElement} slot @returns {Promise<Blob>} */
async function picture(stream, slot) {
  const [track] = stream.getVideoTracks();
  if ((track.getSettings().displaySurface ?? "browser") !== "browser")
    throw new Error("a window or a screen was chosen instead of this tab");
  const video = Object.assign(document.createElement("video"), { srcObject: stream, muted: true });
  await within(CAPTURE_TIMEOUT_MS, video.play());
  // The bar with which the browser says that the tab is shared moves the page.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const rect = slot.getBoundingClientRect();
  // The browser fits the tab into the video: there may be bars at two sides.
  const scale = Math.min(video.videoWidth / innerWidth, video.videoHeight / innerHeight);
  const left = (video.videoWidth - innerWidth * scale) / 2 + rect.left * scale;
  const top = (video.videoHeight - innerHeight * scale) / 2 + rect.top * scale;
  const canvas = Object.assign(document.createElement("canvas"), {
    width: Math.round(rect.width * scale),
    height: Math.round(rect.height * scale),
  });
  canvas.getContext("2d")?.drawImage(video, -left, -top);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the image is empty"))), "image/png"),
  );
}

/** @param {number} ms @param {Promise<void>} promise */
const within = (ms, promise) =>
  Promise.race([
    promise,
    new Promise((_, reject) => setTimeout(() => reject(new Error(`the browser sent no picture within ${ms} ms`)), ms)),
  ]);
