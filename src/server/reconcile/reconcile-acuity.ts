import type { Finding } from '#contract/integrations.ts';
import type { SchedulingReconcile } from '#generated/prisma/client.ts';
import { HOUR, SECOND } from '#server/core/clock.ts';
import { type Context, type Services, systemContext } from '#server/core/context.ts';
import type { Prisma, Tx } from '#server/core/db.ts';
import { CarelaneError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue, type Jobs } from '#server/core/jobs.ts';
import { type AcuityAccount, findAcuityAccount } from '#server/integrations/acuity-account.ts';
import { recordAcuitySilence } from '#server/integrations/acuity-silence.ts';
import { registerAcuityWebhook } from '#server/integrations/acuity-webhook.ts';
import { inspectAcuity } from '#server/integrations/inspect-acuity.ts';
import { recordSchedulingRepair } from '#server/integrations/note-scheduling-repair.ts';
import { saveCheck } from '#server/integrations/save-check.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { resolveUnknownOutcomes } from '#server/scheduling/booking/resolve-appointment.ts';
import { compareWindows, type WindowStep } from './compare-windows.ts';
import { adjustWindows, wholeWindow } from './day-windows.ts';
import { logStepError } from './step.ts';

/** Steps within the bound; a difference takes one more step to be read. */
const STEPS = 12;
/** Number of steps after which the next comparison starts. */
const STEPS_BETWEEN = 6;
/** Longer than a step takes. After a crash, the account is blocked for this long. */
const LEASE_MS = 30 * SECOND;
/** Interval of inspecting the account's settings; while they have a problem, each comparison inspects them. */
const INSPECT_EVERY_MS = HOUR;

/** Milliseconds between two steps, from the configured bound. */
export const stepMs = ({ config }: Pick<Services, 'config'>): number => config.scheduling.reconcileMs / STEPS;
export const keyOf = (tenantId: string): string => `reconcile_acuity:${tenantId}`;

export const queueStep = (db: Pick<Tx, '$executeRaw'>, tenantId: string, runAt: Date): Promise<void> =>
  enqueue(db, 'reconcile_acuity', { tenantId }, { runAt, key: keyOf(tenantId) });

/**
 * Runs one step of the comparison that makes up for lost webhooks: compares some of the account's appointments, from
 * yesterday to ninety days ahead, so that each is compared within the bound (`ACUITY_RECONCILE_SECONDS`). Acuity has no
 * list of changes, so all are listed; a differing one is read one step later, because its webhook may be on its way.
 * Progress is stored after each response, so a crashed step is continued. A lease allows one runner per clinic. Errors
 * of Acuity are noted and left to the next step, which is always queued.
 */
export async function reconcileAcuity(services: Services, { tenantId }: Jobs['reconcile_acuity']): Promise<void> {
  const ctx = systemContext(services, tenantId, 'reconcile_acuity');
  // Not queued behind renewals: a step occupies one of the worker's few slots.
  const account = await findAcuityAccount(ctx, 'asked');
  // Once an account is connected, its steps are queued again.
  if (!account) return;
  const begunAt = ctx.clock.now().getTime();
  const step = await takeLease(ctx, account);
  if (step) {
    const lastError = await carryOut(step)
      .then(() => null)
      .catch((error: unknown) => troubleOf(step, error))
      .catch((error: unknown) => logStepError(ctx, error));
    await ctx.db.schedulingReconcile.updateMany({
      where: step.where,
      data: { runner: null, leasedUntil: null, lastRunAt: ctx.clock.now(), lastError },
    });
  }
  await queueStep(ctx.db, tenantId, new Date(begunAt + stepMs(ctx)));
}

async function carryOut(step: WindowStep): Promise<void> {
  const isBeginning = isDue(step);
  if (isBeginning) await beginPass(step);
  await compareWindows(step);
  // Only now is it known that Acuity responds: while it hangs, these reads would block the worker for other clinics.
  if (isBeginning) await resolveUnknownOutcomes(step.ctx);
  await recordAcuitySilence(step.ctx, step.account);
}

const isDue = ({ ctx, state: { passStartedAt, passEndedAt }, stepMs }: WindowStep): boolean => {
  if (passStartedAt === null) return true;
  const isRunning = passEndedAt === null || passEndedAt < passStartedAt;
  return !isRunning && ctx.clock.now().getTime() - passStartedAt.getTime() >= (STEPS_BETWEEN - 0.5) * stepMs;
};

/**
 * Checks the webhook, and from time to time the account's settings; problems become findings. Requests in progress are
 * not compared: their outcome is looked up.
 */
async function beginPass(step: WindowStep): Promise<void> {
  const { ctx, account } = step;
  const { tenantId, db } = ctx;
  const id = { tenantId_provider: { tenantId, provider: 'acuity' } };
  const row = await db.integration.findUniqueOrThrow({ where: id });
  const known = row.settings as { webhook_id?: number | null; time_zone?: string };
  const webhookId = await seeToWebhook(step, known.webhook_id ?? null);
  if (webhookId !== null && webhookId !== known.webhook_id)
    await db.$transaction(async (tx) => {
      await tx.integration.updateMany({
        where: { tenantId, provider: 'acuity', accountId: row.accountId },
        data: { settings: { ...known, webhook_id: webhookId, webhook_since: ctx.clock.now().toISOString() } },
      });
      const repair = { accountId: account.accountId, objectId: String(webhookId), what: 'webhook' };
      await recordSchedulingRepair(tx, ctx, repair);
    });
  const isOld = !row.checkedAt || ctx.clock.now().getTime() - row.checkedAt.getTime() >= INSPECT_EVERY_MS;
  // Late repairs show by themselves when webhooks become silent and when they resume.
  const isOther = ({ code }: Finding) => code !== 'webhooks_silent' || step.state.silentSince === null;
  const isWrong = row.status !== 'connected' && (row.findings as Finding[]).some(isOther);
  const isUnhooked = webhookId === null && known.webhook_id != null;
  if (isOld || isWrong || isUnhooked) await saveCheck(ctx, 'acuity', await inspectAcuity(ctx, account));
  const passLeft = adjustWindows(step.state.windows as never, wholeWindow(ctx, step.zone));
  await step.save({ passStartedAt: ctx.clock.now(), passLeft, windows: [], compared: 0, differing: 0 });
}

/**
 * Returns null when Acuity rejects the webhook, which an inspection of the settings reports, and the known id when
 * Acuity does not respond; the comparison then continues.
 */
async function seeToWebhook({ ctx, account }: WindowStep, known: number | null): Promise<number | null> {
  try {
    return await registerAcuityWebhook(ctx, account.provider);
  } catch (error) {
    if (!(error instanceof SchedulingError) || error.code === 'integration_misconfigured') throw error;
    ctx.log.warn({ tenantId: ctx.tenantId, err: error.message }, 'Acuity takes no webhook');
    return error.reason === null ? known : null;
  }
}

/** Returns the error for the portal. */
async function troubleOf({ ctx, account }: WindowStep, error: unknown): Promise<string> {
  if (error instanceof CarelaneError && error.code === 'integration_misconfigured')
    await saveCheck(ctx, 'acuity', await inspectAcuity(ctx, account));
  return logStepError(ctx, error);
}

/** Returns null while another runner has the lease. */
async function takeLease(ctx: Context, account: AcuityAccount): Promise<WindowStep | null> {
  const { tenantId, db } = ctx;
  const { accountId } = account;
  const now = ctx.clock.now();
  const runner = newId(now);
  const until = () => new Date(ctx.clock.now().getTime() + LEASE_MS);
  await db.schedulingReconcile.createMany({ data: [{ tenantId, accountId }], skipDuplicates: true });
  const [state] = await db.schedulingReconcile.updateManyAndReturn({
    where: { tenantId, accountId, OR: [{ leasedUntil: null }, { leasedUntil: { lt: now } }] },
    data: { runner, leasedUntil: until() },
  });
  if (!state) return null;
  const { settings } = await db.integration.findFirstOrThrow({ where: { tenantId, provider: 'acuity' } });
  const where = { tenantId, accountId, runner };
  const step: WindowStep = {
    ctx,
    account,
    zone: (settings as { time_zone?: string }).time_zone ?? 'UTC',
    where,
    state,
    stepMs: stepMs(ctx),
    async save(data: Prisma.SchedulingReconcileUpdateManyMutationInput) {
      const [kept] = await db.schedulingReconcile.updateManyAndReturn({
        where,
        data: { ...data, leasedUntil: until() },
      });
      if (!kept) throw new Error('another runner has taken over');
      step.state = kept satisfies SchedulingReconcile;
    },
  };
  return step;
}
