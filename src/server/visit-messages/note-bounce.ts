import { noteRefusal } from '#server/consent/note-refusal.ts';
import type { Context } from '#server/core/context.ts';

/** A provider refused a message: what that says of the address is written down. What became of the message does not wait for it. */
export async function noteBounce(ctx: Context, address: string, refused: unknown): Promise<void> {
  await noteRefusal(ctx, address, refused).catch((error: Error) =>
    ctx.log.error({ err: error.message }, 'what a refusal says of an address is not written down'),
  );
}
