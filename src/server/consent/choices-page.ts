import type { ChangeChoiceInput, ChoicesPageView, OpenChoicesInput } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-templates.ts';
import { DAY, SECOND } from '#server/core/clock.ts';
import { asServiceForVisitor, type Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError, notFound, rateLimited } from '#server/core/errors.ts';
import { lockPatient } from '#server/patients/index.ts';
import { getChoiceState, lastChoice } from './choice-state.ts';
import { patientOfChoices } from './choices-link.ts';
import { setChoice } from './set-choice.ts';

const MAX_PER_DAY = 20;

/**
 * Returns the content of the page behind a message's link: the clinic and the channels, without the patient's identity.
 * @throws `not_found` for an unknown link
 */
export async function openChoices(ctx: Context, { token }: OpenChoicesInput): Promise<ChoicesPageView> {
  const { db, tenantId } = ctx;
  const patient = await patientOfToken(ctx, token);
  const clinic = await db.tenant.findUniqueOrThrow({ where: { id: tenantId }, select: { name: true } });
  const addresses: [MessageChannel, string | null][] = [
    ['email', patient.email],
    ['sms', patient.phoneNumber],
  ];
  const channels: ChoicesPageView['channels'] = [];
  for (const [channel, address] of addresses) {
    if (!address) continue;
    const { state, because, sender } = await getChoiceState(db, ctx, {
      ...{ tenantId, patientId: patient.id, channel, address },
    });
    channels.push({ channel, state, because, sender });
  }
  return { clinic: clinic.name, channels };
}

/**
 * Ends or resumes messages on one channel for the patient.
 * @throws `not_found`, `rate_limited`, `conflict` when only their phone can undo it
 */
export async function changeChoice(ctx: Context, input: ChangeChoiceInput): Promise<ChoicesPageView> {
  const { token, channel, state } = input;
  await applyChoice(ctx, token, { channel, state, because: 'patient' });
  return openChoices(ctx, { token });
}

/** Handles one-click unsubscribe from emails; idempotent. @throws `not_found` */
export async function unsubscribe(ctx: Context, { token }: OpenChoicesInput): Promise<{ done: true }> {
  await applyChoice(ctx, token, { channel: 'email', state: 'stopped', because: 'unsubscribed' });
  return { done: true };
}

/** The link's holder may always end messages; resuming is limited because each change is stored permanently. */
async function assertDailyLimit(tx: Tx, { tenantId, clock }: Context, patientId: string): Promise<void> {
  const today = { because: { in: ['patient', 'unsubscribed'] }, at: { gt: new Date(clock.now().getTime() - DAY) } };
  const count = await tx.messageChoice.count({ where: { tenantId, patientId, signalId: null, ...today } });
  if (count >= MAX_PER_DAY) throw rateLimited('This was changed too often today; try again tomorrow.', DAY / SECOND);
}

async function patientOfToken(ctx: Context, token: string) {
  if (ctx.actor.kind !== 'visitor') throw apiError('forbidden', 'A page of choices is opened from its link.');
  const id = patientOfChoices(ctx, token);
  const { tenantId } = ctx;
  const named = id && (await ctx.db.patient.findFirst({ where: { tenantId, id }, include: { survivor: true } }));
  if (!named) throw notFound('link');
  const patient = named.survivor ?? named;
  ctx.trail.patients.add(patient.id);
  return patient;
}

async function applyChoice(
  ctx: Context,
  token: string,
  choice: { channel: MessageChannel; state: 'allowed' | 'stopped'; because: 'patient' | 'unsubscribed' },
): Promise<void> {
  const { id: patientId } = await patientOfToken(ctx, token);
  const { channel, state } = choice;
  const serviceCtx = asServiceForVisitor(ctx, 'choices_link');
  await ctx.db.$transaction(async (tx) => {
    const patient = await lockPatient(serviceCtx, tx, patientId);
    const address = channel === 'email' ? patient.email : patient.phoneNumber;
    const query = { tenantId: ctx.tenantId, patientId, channel, address };
    const current = await getChoiceState(tx, ctx, query);
    // A bounce may end by another signal, so the patient's own choice to stop is stored in addition to it.
    const isStored = state === 'allowed' || (await lastChoice(tx, query))?.state === state;
    if (current.state === state && isStored) return;
    if (state === 'allowed') await assertDailyLimit(tx, ctx, patientId);
    await setChoice(tx, serviceCtx, { ...choice, patientId, address, words: null, madeBy: null });
  });
}
