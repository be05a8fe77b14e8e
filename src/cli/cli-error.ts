/** Exit codes. */
export const EXIT = { done: 0, failed: 1, misused: 2, forbidden: 3, expired: 4 } as const;

/** Ends the command with a message and an exit code. All other errors are bugs. */
export class CliError extends Error {
  readonly exit: number;
  constructor(message: string, exit: number = EXIT.failed) {
    super(message);
    this.exit = exit;
  }
}
