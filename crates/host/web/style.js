// The standard style variables of MCP Apps, with this host's values: a palette that is readable in light and dark.

/** Light and dark colours for backgrounds, texts, borders and rings.
 * @type {Record<string, Record<string, [string, string]>>} */
const COLOURS = {
  background: {
    primary: ["#ffffff", "#16191d"],
    secondary: ["#f5f6f8", "#1e2227"],
    tertiary: ["#e9ecf0", "#292e35"],
    inverse: ["#1b1f24", "#f1f3f5"],
    ghost: ["transparent", "transparent"],
    info: ["#e6f1fb", "#10293f"],
    danger: ["#fdeceb", "#3c1a19"],
    success: ["#e7f5ec", "#12301f"],
    warning: ["#fcf3dc", "#352806"],
    disabled: ["#eef0f3", "#24282e"],
  },
  text: {
    primary: ["#1b1f24", "#eceff2"],
    secondary: ["#4a525c", "#b6bfc9"],
    tertiary: ["#646d78", "#949eaa"],
    inverse: ["#ffffff", "#16191d"],
    ghost: ["#4a525c", "#b6bfc9"],
    info: ["#0b5394", "#82bdf5"],
    danger: ["#a3211b", "#f69a94"],
    success: ["#146c3a", "#7ed3a0"],
    warning: ["#7a4f00", "#e9c15c"],
    disabled: ["#868f9a", "#6c7580"],
  },
  border: {
    primary: ["#d3d8de", "#3b424b"],
    secondary: ["#e2e6ea", "#2d333a"],
    tertiary: ["#eef0f3", "#24282e"],
    inverse: ["#3b424b", "#d3d8de"],
    ghost: ["transparent", "transparent"],
    info: ["#9cc7ee", "#24547f"],
    danger: ["#f0aeaa", "#7c302c"],
    success: ["#9ed4b3", "#27603f"],
    warning: ["#e3c57c", "#6b5216"],
    disabled: ["#e2e6ea", "#2d333a"],
  },
  ring: {
    primary: ["#1769b5", "#6fb3f2"],
    secondary: ["#868f9a", "#949eaa"],
    inverse: ["#ffffff", "#16191d"],
    info: ["#1769b5", "#6fb3f2"],
    danger: ["#c6362f", "#f07b74"],
    success: ["#1c8a4c", "#4fbf7d"],
    warning: ["#a86e00", "#d9a92f"],
  },
};

/** Size and line height. @type {Record<string, [string, string]>} */
const SIZES = {
  "text-xs": ["12px", "1.4"],
  "text-sm": ["14px", "1.45"],
  "text-md": ["16px", "1.5"],
  "text-lg": ["18px", "1.5"],
  "heading-xs": ["14px", "1.4"],
  "heading-sm": ["16px", "1.35"],
  "heading-md": ["18px", "1.35"],
  "heading-lg": ["22px", "1.3"],
  "heading-xl": ["26px", "1.25"],
  "heading-2xl": ["32px", "1.2"],
  "heading-3xl": ["40px", "1.15"],
};

/** @type {Record<string, string>} */
const OTHER_VARIABLES = {
  "--font-sans": '"Yardstick Sans", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  "--font-mono": 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
  "--font-weight-normal": "400",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "700",
  "--border-radius-xs": "2px",
  "--border-radius-sm": "4px",
  "--border-radius-md": "6px",
  "--border-radius-lg": "10px",
  "--border-radius-xl": "16px",
  "--border-radius-full": "9999px",
  "--border-width-regular": "1px",
  "--shadow-hairline": "0 0 0 1px light-dark(rgb(27 31 36 / 8%), rgb(255 255 255 / 10%))",
  "--shadow-sm": "0 1px 2px light-dark(rgb(27 31 36 / 10%), rgb(0 0 0 / 40%))",
  "--shadow-md": "0 4px 10px light-dark(rgb(27 31 36 / 12%), rgb(0 0 0 / 50%))",
  "--shadow-lg": "0 12px 28px light-dark(rgb(27 31 36 / 16%), rgb(0 0 0 / 60%))",
};

/** A rule that loads a font without the network, so that an app can show whether it uses the host's fonts. */
export const FONTS =
  '@font-face { font-family: "Yardstick Sans"; src: local("Inter"), local("Segoe UI"), local("Helvetica Neue"), ' +
  'local("DejaVu Sans"); font-display: swap; }';

/** All standard variables. @returns {Record<string, string>} */
export function allVariables() {
  /** @type {Record<string, string>} */
  const all = {};
  for (const [group, shades] of Object.entries(COLOURS)) {
    for (const [shade, [light, dark]] of Object.entries(shades)) {
      all[`--color-${group}-${shade}`] = light === dark ? light : `light-dark(${light}, ${dark})`;
    }
  }
  for (const [name, [size, height]] of Object.entries(SIZES)) {
    all[`--font-${name}-size`] = size;
    all[`--font-${name}-line-height`] = height;
  }
  return { ...all, ...OTHER_VARIABLES };
}

/** The value for one theme. @param {string} value @param {string} theme */
const inTheme = (value, theme) =>
  value.replace(/light-dark\(((?:[^(),]|\([^()]*\))*),((?:[^(),]|\([^()]*\))*)\)/g, (_, light, dark) =>
    (theme === "dark" ? dark : light).trim(),
  );

/** A host's variables for a theme. @param {import("./types.d.ts").Profile | undefined} profile @param {string} theme */
export function themed(profile, theme) {
  const { lightDark = true, absent = [] } = profile?.styles ?? {};
  const given = Object.entries(variables(profile?.variables)).filter(([name]) => !absent.includes(name));
  return Object.fromEntries(lightDark ? given : given.map(([name, value]) => [name, inTheme(value, theme)]));
}

/** The variables of a profile: all, some of them, or its own values.
 * @param {import("./types.d.ts").Profile["variables"]} which */
export function variables(which) {
  const all = allVariables();
  if (which === undefined || which === "all") return all;
  if (Array.isArray(which))
    return Object.fromEntries(which.filter((name) => name in all).map((name) => [name, all[name]]));
  return which;
}
