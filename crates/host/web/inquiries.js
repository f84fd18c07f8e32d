// The open inquiries of servers: what the host announces, and what the person answers.

import { urlsVisited } from "./problem.js";

/** @import {Inquiry, Json} from "./types.d.ts" */
/** @import {Api} from "./api.js" */
/** @import {Session} from "./session.js" */
/** @import {Store} from "./store.js" */

/** @param {Store} store @param {Api} api @param {() => Session | null} current returns the current run */
export function createInquiries(store, api, current) {
  /** Adds an inquiry, or replaces the one with its id. @param {Inquiry} inquiry */
  const put = (inquiry) => {
    const { inquiries } = store.get();
    const isKnown = inquiries.some((one) => one.id === inquiry.id);
    store.set({
      inquiries: isKnown ? inquiries.map((one) => (one.id === inquiry.id ? inquiry : one)) : [...inquiries, inquiry],
    });
  };
  /** @param {number} id @param {boolean} isComplete whether the person has done what it asked for */
  const close = (id, isComplete) => {
    const closed = store.get().inquiries.find((one) => one.id === id);
    const inquiries = store.get().inquiries.filter((one) => one.id !== id);
    store.set({ inquiries });
    const run = current();
    const isLast = closed?.required?.tool && !inquiries.some((one) => one.required && one.run === closed.run);
    if (isComplete && isLast && run && closed.run === run.run && store.get().problem?.canRetry)
      store.set({ problem: urlsVisited(run.tool.title ?? run.tool.name) });
  };
  return {
    put,
    close,
    /** @param {Inquiry[]} all the open inquiries */
    replace: (all) => store.set({ inquiries: all }),
    /** @param {Inquiry} inquiry @param {Json} result */
    async answer(inquiry, result) {
      const { required } = inquiry;
      // A URL that a call requires stays until the server says that it is complete.
      if (required && result?.action === "accept") put({ ...inquiry, required: { ...required, opened: true } });
      else close(inquiry.id, false);
      // Another tab may have answered first, or the server may be gone. Nothing is left to do then.
      await api.answerInquiry(inquiry.id, result).catch(() => {});
    },
  };
}
