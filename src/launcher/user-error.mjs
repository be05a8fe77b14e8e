/** An error whose message is sufficient for the user: it is shown without a stack trace. */
export class UserError extends Error {}
