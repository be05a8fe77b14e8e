import { ERRORS } from '#contract/errors.ts';
import { NoInput } from '#contract/patients.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { type FailedJobsView, type FailedJobView, JobIdInput } from '#contract/system.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { notFound } from '#server/core/errors.ts';
import {
  type FailedJob,
  INTERRUPTED_TOO_OFTEN,
  type Jobs,
  listFailedJobRows,
  requeueFailedJob,
} from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { noPatient, router } from '#server/core/trpc.ts';
import { checkVideoServers, getVideoServers } from './video-servers.ts';

const SHOWN = 100;

/** Lists the permanently failed jobs of the actor's clinic, newest first. Admins only. */
async function listFailedJobs(ctx: Context): Promise<FailedJobsView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const rows = await listFailedJobRows(ctx.db, SHOWN);
  return { jobs: rows.map(presentFailedJob), total: rows[0]?.total ?? 0 };
}

/**
 * Queues the job again with all its attempts. Admins only.
 * @throws `not_found` also when it is running again already
 */
async function retryJob(ctx: Context, { id }: JobIdInput): Promise<void> {
  requireAdmin(ctx.actor, 'settings:manage');
  await ctx.db.$transaction(async (tx) => {
    if (!(await requeueFailedJob(tx, id))) throw notFound('failed job');
    await record(tx, ctx, { action: 'system.retry_job', object: { type: 'Job', id } });
  });
}

const PROVIDER = SCHEDULING_PROVIDER.name;
const JOB_LABELS: Record<keyof Jobs, string> = {
  resolve_appointment: 'Find out the result of a booking or change',
  send_no_show: `Report to ${PROVIDER} that a patient did not come`,
  process_inbound_event: 'Apply a reported change',
  apply_stripe_events: 'Apply changes reported by Stripe',
  update_customer: 'Update a patient’s name and address at Stripe',
  reconcile_stripe: 'Compare subscriptions with Stripe',
  reconcile_all: `Compare subscriptions and appointments with Stripe and ${PROVIDER}`,
  reconcile_acuity: `Compare appointments with ${PROVIDER}`,
  refresh_appointment: 'Update an appointment',
  check_acuity: `Check how ${PROVIDER} is set up`,
  refresh_subscription: 'Update a subscription',
  resolve_subscription: 'Find out whether a subscription was created',
  close_call: 'End a video visit that was left open',
  send_message: 'Send an email or a text message',
  send_staff_reset: 'Send a link to set a new password',
  tell_staff_of_closing: 'Warn a colleague about many wrong passwords',
  tell_of_signal: 'Record that an address stops or resumes messages',
  send_mail: 'Send a link to pay',
  plan_visit_messages: 'Plan the messages of an appointment',
  plan_all_visit_messages: 'Plan the messages of all appointments',
  send_visit_messages: 'Send due messages about appointments',
  send_due_messages: 'Send due messages about appointments',
  send_daily_lists: 'Send practitioners their appointments of the day',
  send_due_lists: 'Send practitioners their appointments of the day',
  end_care: 'End the appointments and subscriptions of an archived patient',
  update_clients: `Write a patient’s name to ${PROVIDER}`,
  move_late_rows: 'Move what belongs to a merged record',
  forget_expired: 'Delete expired data',
  check_audit: 'Check the audit log',
  check_audits: 'Check the audit log',
  keep_logs: 'Maintain the events and the audit log',
  rotate_signing_keys: 'Renew the signing keys',
};
const SOURCE_LABELS: Record<string, string> = { stripe: ' from Stripe', [SCHEDULING_PROVIDER.id]: ` from ${PROVIDER}` };

const presentFailedJob = ({
  id,
  name,
  provider,
  attempts,
  last_error,
  created_at,
  failed_at,
}: FailedJob): FailedJobView => ({
  id,
  what: `${JOB_LABELS[name as keyof Jobs] ?? 'Work in the background'}${SOURCE_LABELS[provider ?? ''] ?? ''}`,
  why: reasonOf(id, last_error ?? ''),
  attempts,
  queued_at: created_at.toISOString(),
  failed_at: failed_at.toISOString(),
});

/** Only errors worded for users are shown: any other may quote confidential data. */
function reasonOf(id: string, error: string): string {
  if (error === INTERRUPTED_TOO_OFTEN) return error;
  const [, code = '', detail] = error.match(/^([a-z_]+): (.+)$/s) ?? [];
  if (detail && Object.hasOwn(ERRORS, code)) return detail;
  return `Something unexpected went wrong. The operator of this service finds it in the log, under job ${id}.`;
}

/** Procedures of the portal's System page, including its video servers. */
export const systemRouter = router({
  failedJobs: noPatient.input(NoInput.optional()).query(({ ctx }) => listFailedJobs(ctx)),
  retryJob: noPatient.input(JobIdInput).mutation(({ ctx, input }) => retryJob(ctx, input)),
  videoServers: noPatient.input(NoInput.optional()).query(({ ctx }) => getVideoServers(ctx)),
  // A mutation although it changes nothing, so that it only runs on request.
  checkVideo: noPatient.input(NoInput.optional()).mutation(({ ctx }) => checkVideoServers(ctx)),
});
