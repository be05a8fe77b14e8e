import type {
  ChannelChoiceView,
  ChoiceReason,
  MessageChoicesInput,
  MessageChoicesView,
  MessageChoiceView,
} from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-templates.ts';
import type { MessageChoice } from '#generated/prisma/client.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';
import { loadPatientFor } from '#server/patients/index.ts';
import { getChoiceState } from './choice-state.ts';
import { openChoice } from './choices.ts';
import { keywordOf } from './keywords.ts';
import { latestSignals, numberOf, type State, signalText } from './signals.ts';

const MAX_HISTORY = 100;

/**
 * Returns which unsolicited messages a patient wants, the signals of their addresses, and the history.
 * @throws `not_found`
 */
export async function getChoices(ctx: Context, { id }: MessageChoicesInput): Promise<MessageChoicesView> {
  requireScope(ctx.actor, 'patients:read');
  const { db, tenantId } = ctx;
  const patient = await loadPatientFor(ctx, id);
  const signIn = await db.patientSignIn.findFirst({
    where: { tenantId, patientId: patient.id },
    select: { phoneNumber: true },
  });
  const rows = await db.messageChoice.findMany({
    where: { tenantId, patientId: patient.id },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: MAX_HISTORY,
  });
  const staff = await db.staffUser.findMany({
    where: { tenantId, id: { in: rows.flatMap(({ madeBy }) => (madeBy && isId(madeBy) ? [madeBy] : [])) } },
    select: { id: true, name: true },
  });
  const names = new Map(staff.map((user) => [user.id, user.name]));
  return {
    id: patient.id,
    type: 'MessageChoices',
    channels: [
      await channelOf(ctx, patient.id, { channel: 'email', address: patient.email, signIn: null }),
      await channelOf(ctx, patient.id, {
        channel: 'sms',
        address: patient.phoneNumber,
        signIn: signIn?.phoneNumber ?? null,
      }),
    ],
    history: rows.map((row) => presentChoice(ctx, row, names)),
  };
}

async function channelOf(
  ctx: Context,
  patientId: string,
  { channel, address, signIn }: { channel: MessageChannel; address: string | null; signIn: string | null },
): Promise<ChannelChoiceView> {
  const { db, tenantId, config } = ctx;
  const { state, because, sender, at } = await getChoiceState(db, ctx, { tenantId, patientId, channel, address });
  const from = config.twilio?.from ?? null;
  const signals = signIn ? await latestSignals(db, ctx, 'sms', signIn) : [];
  const codeSignal = signals.find((signal) => signal.sender === from);
  // Twilio does not block on a text that is no keyword of its own; only this service obeys it, and codes are still
  // sent.
  const text = codeSignal && signalText(ctx, codeSignal);
  const isBlocked = codeSignal?.state === 'stopped' && (!text || keywordOf(text)?.ofTwilio !== false);
  return {
    channel,
    address,
    state,
    because,
    sender,
    since: at?.toISOString() ?? null,
    sign_in_codes: signIn ? (isBlocked ? 'stopped' : 'allowed') : null,
    sign_in_sender: signIn ? numberOf(from) : null,
  };
}

function presentChoice(ctx: Context, row: MessageChoice, names: Map<string, string>): MessageChoiceView {
  return {
    id: row.id,
    channel: row.channel as MessageChannel,
    state: row.state as State,
    because: row.because as ChoiceReason,
    sender: numberOf(row.sender),
    ...openChoice(ctx, row),
    by: names.get(row.madeBy ?? '') ?? null,
    at: row.at.toISOString(),
  };
}
