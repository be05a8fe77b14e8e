/** The child's side of `startProcess`: responds to each message until the parent disconnects. */
export function serveMessages(handle: (message: never) => Promise<unknown>): void {
  process.on('message', (message) => {
    handle(message as never).then(
      (value) => process.send?.({ value }),
      (error: Error) => process.send?.({ fault: error.message }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ value: 'ready' });
}
