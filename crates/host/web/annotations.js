// What a tool's annotations say about running it without a click.

import { requiresNothing } from "./schema.js";

/** @import {Tool} from "./types.d.ts" */

/** Whether a tool declares that it changes nothing. A tool without the annotation may be destructive.
 * @param {Tool} tool */
export const isReadOnly = ({ annotations }) => annotations?.readOnlyHint === true;

/** Whether a tool may run without a click: it has an app, is read-only, and needs no made-up arguments.
 * @param {Tool} tool */
export const runsByItself = (tool) => tool.yardstick.isUi && isReadOnly(tool) && requiresNothing(tool);
