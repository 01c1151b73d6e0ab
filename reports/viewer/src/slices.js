// SPDX-License-Identifier: MIT
// slices.js -- long work in pieces, so that input never waits.

/** How long a piece is; tests make it shorter. */
export const pace = { ms: 8 };
/** So many pieces at once while there is nothing yet to act on. */
export const LOADING = 3;

/** @type {(() => void)[]} */
const waiting = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  const next = waiting.shift();
  if (next) next();
};

/** Let the browser do what waits. @returns {Promise<void>} */
export function slice() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    channel.port2.postMessage(0);
  });
}

/** One piece of long work, which a newer wish may end. In a loop, every few thousand rounds:
 *
 *     if (turn.due && !(await turn.pass())) return null;
 */
export class Turn {
  /** @param {() => boolean} [wanted] is the work still of use? @param {number} [pieces] at once: more
   * while there is nothing yet to act on */
  constructor(wanted = () => true, pieces = 1) {
    this.wanted = wanted;
    this.pieces = pieces;
    this.deadline = performance.now() + pieces * pace.ms;
  }

  get due() {
    return performance.now() > this.deadline;
  }

  /** Others have their turn. @returns {Promise<boolean>} false: give up */
  async pass() {
    await slice();
    this.deadline = performance.now() + this.pieces * pace.ms;
    return this.wanted();
  }
}
