// SPDX-License-Identifier: MIT
// slices.js -- long work in pieces, so that input never waits.

export const SLICE_MS = 8;

/** Let the browser do what waits. @returns {Promise<void>} */
export function slice() {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(0);
  });
}
