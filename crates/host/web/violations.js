// Violations of the content security policy in an app's document.

/** @import {Violation} from "./types.d.ts" */

/**
 * Whether this was a test for `eval`. Nearly every app has a schema library that tries it once when it loads, and works
 * without it.
 * @param {Violation} violation
 */
export const isEvalProbe = ({ directive, blocked }) => blocked === "eval" && directive.startsWith("script-src");
