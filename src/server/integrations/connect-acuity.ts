import type { ConnectAcuityInput, IntegrationView, UpdateAcuityInput } from '#contract/integrations.ts';
import { requireAdmin } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { apiError, invalidParameter } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import {
  type AcuityInspection,
  formerAccountFindings,
  inspectAcuitySettings,
  lacksApi,
  removeTenantWebhooks,
} from './inspect-acuity.ts';
import { presentIntegration } from './integration.ts';
import { getAcuityIntegration } from './list-integrations.ts';
import { acuityCredentialsOf, findAcuityAccount, getAcuityAccount, invalidateCatalogue } from './scheduling-account.ts';

/**
 * Validates the credentials at Acuity, stores them encrypted and registers the webhook. Idempotent: refreshes the
 * findings, and moves the webhook when the public address changed.
 * @throws `invalid_parameter` (422) for wrong credentials; the connected account stays
 */
export async function connectAcuity(ctx: Context, input: ConnectAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  return connect(ctx, parseCredentials(input));
}

type NamedCredentials = ReturnType<typeof parseCredentials>;

/** Each credential, and the name under which it was given, to which an error points. */
function parseCredentials(input: ConnectAcuityInput) {
  const { user_id, api_key, credentials, credentials_secret } = input;
  if (user_id !== undefined && credentials !== undefined && user_id !== credentials)
    throw invalidParameter('credentials', 'This is another name of "user_id": give one of them.');
  if (api_key !== undefined && credentials_secret !== undefined && api_key !== credentials_secret)
    throw invalidParameter('credentials_secret', 'This is another name of "api_key": give one of them.');
  return {
    userId: user_id ?? credentials,
    apiKey: api_key ?? credentials_secret,
    names: {
      userId: user_id === undefined && credentials !== undefined ? 'credentials' : 'user_id',
      apiKey: api_key === undefined && credentials_secret !== undefined ? 'credentials_secret' : 'api_key',
    },
  };
}

const missing = (name: string) =>
  apiError('missing_parameter', `"${name}" is required.`, { source: { pointer: `/${name}` } });

async function connect(ctx: Context, { userId, apiKey, names }: NamedCredentials): Promise<IntegrationView> {
  if (userId === undefined) throw missing(names.userId);
  if (apiKey === undefined) throw missing(names.apiKey);
  if (!/^\d{1,15}$/.test(userId)) throw invalidParameter(names.userId, 'The User ID at Acuity is a number.');
  const before = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  const former = await findAcuityAccount(ctx);
  const acuity = ctx.providers.acuity(ctx, { userId, apiKey });
  const { me, status, details, findings } = await read(ctx, acuity, names.apiKey);
  const accountId = String(me.id);
  const isNew = before?.status === 'disconnected' || before?.accountId !== accountId;

  const view = await ctx.db.$transaction(async (tx) => {
    const now = ctx.clock.now();
    // Appointments booked in the former account remain there.
    if (before?.accountId && before.accountId !== accountId)
      await tx.appointment.updateMany({
        where: { tenantId: ctx.tenantId, accountId: null },
        data: { accountId: before.accountId },
      });
    const formerFindings = await formerAccountFindings({ ...ctx, db: tx }, accountId);
    const data = {
      status,
      accountId,
      credentials: ctx.cipher.seal(
        JSON.stringify({ user_id: userId, api_key: apiKey }),
        acuityCredentialsOf(ctx.tenantId),
      ),
      settings: details,
      findings: [...findings, ...formerFindings],
      checkedAt: now,
      updatedAt: now,
    };
    const row = await tx.integration.upsert({
      where: { tenantId_provider: { tenantId: ctx.tenantId, provider: 'acuity' } },
      create: { tenantId: ctx.tenantId, provider: 'acuity', createdAt: now, ...data },
      update: data,
    });
    if (isNew) {
      await tx.providerSnapshot.deleteMany({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
      await tx.availabilityDay.deleteMany({ where: { tenantId: ctx.tenantId } });
    }
    const view = await getAcuityIntegration({ ...ctx, db: tx });
    await record(tx, ctx, {
      action: 'integrations.connect',
      object: { type: 'Integration', id: 'acuity' },
      ...(isNew ? { event: 'integration.connected' } : transition(before?.status, status)),
      payload: presentIntegration(ctx, 'acuity', row),
      response: view,
    });
    return view;
  });
  await invalidateCatalogue(ctx);
  if (former && former.userId !== accountId) await removeTenantWebhooks(ctx, former.provider);
  return view;
}

const transition = (before: string | undefined, status: 'connected' | 'degraded') => {
  if (before === status) return {};
  return { event: status === 'degraded' ? 'integration.degraded' : 'integration.recovered' } as const;
};

/** Replaces credentials; those left out stay. All are validated again. */
export async function updateAcuity(ctx: Context, input: UpdateAcuityInput): Promise<IntegrationView> {
  requireAdmin(ctx.actor, 'settings:manage');
  const { userId, apiKey } = await getAcuityAccount(ctx);
  const update = parseCredentials(input);
  return connect(ctx, { ...update, userId: update.userId ?? userId, apiKey: update.apiKey ?? apiKey });
}

async function read(ctx: Context, acuity: Acuity, keyName: string): Promise<AcuityInspection> {
  try {
    return await inspectAcuitySettings(ctx, acuity);
  } catch (error) {
    if (error instanceof SchedulingError && error.code === 'integration_misconfigured')
      throw invalidParameter(
        keyName,
        lacksApi(error)
          ? 'Acuity knows this User ID and API key, but the account’s plan does not include the API.'
          : 'Acuity rejects this User ID and API key.',
      );
    throw error;
  }
}
