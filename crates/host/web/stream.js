// A simulated model that writes the arguments of a call piece by piece.

import { heal } from "./heal.js";

/** @import {Json, Obj} from "./types.d.ts" */

/** Splits a text into at most `most` pieces, about as long as a model's tokens. @param {string} text
 * @param {number} [most] @returns {string[]} */
export function pieces(text, most = 24) {
  const size = Math.max(3, Math.ceil(text.length / most));
  const list = [];
  for (let at = 0; at < text.length; at += size) list.push(text.slice(at, at + size));
  return list;
}

/** The partial values after each piece, without repeats and without the complete value. @param {Obj} args
 * @returns {Json[]} */
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
 * Streams the arguments at a model's pace. Resolves when they are complete, or when stopped.
 * @param {Obj} args @param {(partial: Json) => void} show @param {AbortSignal} stop
 * @param {number} [pause] milliseconds between two pieces
 */
export async function stream(args, show, stop, pause = 40) {
  for (const partial of partials(args)) {
    if (stop.aborted) return;
    show(partial);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
