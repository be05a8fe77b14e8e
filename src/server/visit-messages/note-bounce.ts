import { noteRefusal } from '#server/consent/note-refusal.ts';
import type { Context } from '#server/core/context.ts';

/**
 * Stores what a provider's rejection says about an address. A failure here does not affect the outcome of the message.
 */
export async function noteBounce(ctx: Context, address: string, refused: unknown): Promise<void> {
  await noteRefusal(ctx, address, refused).catch((error: Error) =>
    ctx.log.error({ err: error.message }, 'what a refusal says of an address is not written down'),
  );
}
