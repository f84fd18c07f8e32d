// A simulated model: writes the arguments of a call piece by piece, as a language model would.

import { heal } from "./heal.js";

/** @import {Json, Obj} from "./types.d.ts" */

/**
 * The pieces that a text is written in: about as long as a model's tokens, and never more than `most` of them.
 * @param {string} text @param {number} [most] @returns {string[]}
 */
export function pieces(text, most = 24) {
  const size = Math.max(3, Math.ceil(text.length / most));
  const list = [];
  for (let at = 0; at < text.length; at += size) list.push(text.slice(at, at + size));
  return list;
}

/**
 * What can be shown after each piece, without repeats and without the whole.
 * @param {Obj} args @returns {Json[]}
 */
export function partials(args) {
  const text = JSON.stringify(args);
  /** @type {Json[]} */
  const list = [];
  let seen = "";
  let written = "";
  for (const piece of pieces(text)) {
    written += piece;
    const value = heal(written);
    const now = JSON.stringify(value);
    if (value === undefined || now === seen || now === "{}" || now === text) continue;
    seen = now;
    list.push(value);
  }
  return list;
}

/**
 * Writes the arguments at a model's pace; resolves when they are complete, early when stopped.
 * @param {Obj} args @param {(partial: Json) => void} show @param {AbortSignal} stop @param {number} [pause] milliseconds between two pieces
 */
export async function stream(args, show, stop, pause = 40) {
  for (const partial of partials(args)) {
    if (stop.aborted) return;
    show(partial);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
