// SPDX-License-Identifier: MIT
// theme.js -- light, dark, or as the reader's system prefers.

const KEY = "vramscope-theme";
const DARK = /prefers-color-scheme:\s*dark/;

function stored() {
  try {
    return localStorage.getItem(KEY) || "auto";
  } catch {
    return "auto";
  }
}

/** The page's rules for dark screens, on or off whatever the system says. @param {string} theme */
export function applyTheme(theme) {
  const system = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const dark = theme === "dark" || (theme === "auto" && system);
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule) {
        const original = /** @type {any} */ (rule).original || rule.media.mediaText;
        if (!DARK.test(original)) continue;
        /** @type {any} */ (rule).original = original;
        if (theme === "auto") rule.media.mediaText = original;
        else rule.media.mediaText = dark ? "screen" : "not all";
      }
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
  document.documentElement.dataset.dark = dark ? "yes" : "no";
}

/** @param {() => void} changed */
export function startTheme(changed) {
  applyTheme(stored());
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    applyTheme(stored());
    changed();
  });
}

export function toggleTheme() {
  const theme = document.documentElement.dataset.dark === "yes" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the choice holds for this visit.
  }
  applyTheme(theme);
}
