import type { Tx } from './db.ts';

/** The jobs there are and what each is told; `jobs/registry.ts` runs them. */
export type Jobs = {
  resolve_appointment: { tenantId: string; appointmentId: string };
  process_inbound_event: { tenantId: string; provider: string; id: string };
  refresh_subscription: { tenantId: string; subscriptionId: string };
  resolve_subscription: { tenantId: string; intentId: string };
  /** `sealed`: what to send, encrypted because it carries a code, or a link's token; base64. */
  send_message: { tenantId: string; sealed: string };
  /** `sealed`: an e-mail address that somebody typed, and where. It names no tenant: whose it is, is looked up there. */
  send_staff_reset: { sealed: string };
  send_mail: { tenantId: string; sealed: string };
  /** `tries`: how often it was tried in vain, which lengthens the pauses. */
  end_care: { tenantId: string; patientId: string; tries: number };
  forget_expired: object;
  rotate_signing_keys: object;
};

/**
 * Queues a job in the caller's transaction: it exists exactly when the transaction commits. `key` makes a second call
 * replace the first while it waits.
 */
export async function enqueue<Name extends keyof Jobs>(
  tx: Pick<Tx, '$executeRaw'>,
  name: Name,
  payload: Jobs[Name],
  options: { runAt?: Date; key?: string; maxAttempts?: number } = {},
): Promise<void> {
  await tx.$executeRaw`select graphile_worker.add_job(
    ${name}, ${JSON.stringify(payload)}::json,
    run_at => ${options.runAt ?? null}::timestamptz, job_key => ${options.key ?? null}::text,
    max_attempts => ${options.maxAttempts ?? 25}::int)`;
}

/** Takes back, in the caller's transaction, the job that waits under this key; one that runs already goes on. */
export async function dequeue(tx: Pick<Tx, '$queryRaw'>, key: string): Promise<void> {
  await tx.$queryRaw`select 1 from graphile_worker.remove_job(${key})`;
}
