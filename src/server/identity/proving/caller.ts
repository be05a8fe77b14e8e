/** What the door knows of a request before anybody has proved who they are. */
export type Caller = {
  ip: string;
  userAgent: string | null;
  requestId: string;
  /** The same for a repetition of a step whose answer was lost. */
  idempotencyKey: string | null;
  /** Told whose request it turns out to be: which websites may read the answer hangs on it. */
  onTenant?: (tenantId: string) => void;
};
