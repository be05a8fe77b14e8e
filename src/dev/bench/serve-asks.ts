/** The other end of `startProcess`: answers what it is asked, one thing after the other, until its parent goes. */
export function serveAsks(answer: (message: never) => Promise<unknown>): void {
  process.on('message', (message) => {
    answer(message as never).then(
      (value) => process.send?.({ value }),
      (error: Error) => process.send?.({ fault: error.message }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ value: 'ready' });
}
