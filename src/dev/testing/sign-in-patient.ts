import type { WireTokens } from '#sdk/protocol/endpoints.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { type Flow, publicClients } from '#server/identity/applications/public-client.ts';
import { beginSession } from '#server/identity/sessions/begin-session.ts';
import { issueTokens } from '#server/identity/sessions/issue-tokens.ts';

/** Creates a session of the patient, as a completed sign-in does. */
export async function signInPatient(
  ctx: Context,
  patientId: string,
  flow: Flow = 'passwordless',
): Promise<WireTokens & { client_id: string }> {
  const { [flow]: clientId } = await publicClients(ctx);
  const caller = { ip: '192.0.2.1', userAgent: null, requestId: newId(), idempotencyKey: null };
  const session = await ctx.db.$transaction((tx) => beginSession(tx, ctx, { patientId, clientId, caller }));
  return { ...(await issueTokens(ctx, session)), client_id: clientId };
}
