import type { Services } from '../../core/context.ts';
import { CarelaneError } from '../../core/errors.ts';
import { findPublicClient, type PublicClient } from '../applications/public-client.ts';
import type { CallerInfo } from '../verification/caller.ts';
import { OAuthError } from './oauth-error.ts';
import { recordClientUse } from './record-client-use.ts';
import type { TokenForm } from './token-form.ts';

/** Finds a patient's app by its `client_id`. A public client has no secret to authenticate with (RFC 6749 §2.1). */
export async function publicClientOfForm(
  services: Services,
  form: TokenForm,
  caller: CallerInfo,
): Promise<PublicClient> {
  const clientId = form.get('client_id');
  if (!clientId) throw new OAuthError('invalid_request', 'client_id is missing.');
  try {
    const client = await findPublicClient(services, clientId, caller);
    recordClientUse(services, { id: client.id, tenantId: client.ctx.tenantId });
    return client;
  } catch (error) {
    if (error instanceof CarelaneError)
      throw new OAuthError(
        'invalid_client',
        `There is no app with this client_id; this is ${services.config.environment}.`,
        { status: 401 },
      );
    throw error;
  }
}
