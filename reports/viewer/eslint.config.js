// SPDX-License-Identifier: MIT
// eslint.config.js -- what the page's script may not do: anything that turns text into code or markup.

const banned = ["innerHTML", "outerHTML", "insertAdjacentHTML", "srcdoc"].map((name) => ({
  property: name,
  message: "text becomes nodes by textContent only",
}));

export default [
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module" },
    rules: {
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-unused-vars": "error",
      "no-shadow": "error",
      eqeqeq: "error",
      "no-restricted-properties": ["error", ...banned],
      "no-restricted-globals": ["error", "DOMParser", "Function", "fetch", "XMLHttpRequest", "WebSocket", "Worker"],
    },
  },
];
