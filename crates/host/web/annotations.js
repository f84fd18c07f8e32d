// What a tool says of itself that decides whether it may run without a click.

import { requiresNothing } from "./schema.js";

/** @import {Tool} from "./types.d.ts" */

/** Whether a tool says that it changes nothing; one that says nothing may destroy something. @param {Tool} tool */
export const isReadOnly = ({ annotations }) => annotations?.readOnlyHint === true;

/** Whether a tool may run without a click: it has an app, says that it only reads, and nothing has to be made up for it. @param {Tool} tool */
export const runsByItself = (tool) => tool.yardstick.isUi && isReadOnly(tool) && requiresNothing(tool);
