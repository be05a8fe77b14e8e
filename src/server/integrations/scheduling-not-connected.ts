import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { apiError, type CarelaneError } from '#server/core/errors.ts';

/** 422 `integration_not_connected`. `otherwise` says what works without an account. */
export const notConnected = (otherwise?: string): CarelaneError =>
  apiError(
    'integration_not_connected',
    [`${SCHEDULING_PROVIDER.name} is not connected.`, otherwise, 'An administrator can connect it under Integrations.']
      .filter(Boolean)
      .join(' '),
  );
