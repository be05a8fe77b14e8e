/** The other end of `startProcess`: answers what it is asked, one thing after the other, until its parent goes. */
export function serveAsks(answer: (message: never) => Promise<unknown>): void {
  process.on('message', async (message) => process.send?.(await answer(message as never)));
  process.on('disconnect', () => process.exit(0));
  process.send?.('ready');
}
