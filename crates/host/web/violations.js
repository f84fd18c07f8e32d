// What the browser blocked in an app's document.

/** @import {Violation} from "./types.d.ts" */

/** Whether somebody tried whether code can be made from text. Schema libraries do that once when they load and go on without;
 * nearly every app has one. @param {Violation} violation */
export const isEvalProbe = ({ directive, blocked }) => blocked === "eval" && directive.startsWith("script-src");
