import { z } from 'zod';
import { text } from '#contract/conventions.ts';
import { ROLES } from '#contract/roles.ts';
import type { MeView } from '#contract/settings.ts';
import { requireAdmin } from '../../core/actor.ts';
import type { Context } from '../../core/context.ts';
import { Prisma } from '../../core/db.ts';
import { apiError, CarelaneError } from '../../core/errors.ts';
import { fieldErrors } from '../../core/field-errors.ts';
import { newId } from '../../core/ids.ts';
import { record } from '../../core/record.ts';
import { staffRoute } from '../verification/person.ts';
import { checkNewPassword, hashPassword } from './password.ts';

const CreateStaffUserInput = z.strictObject({
  email: z.email().max(254).toLowerCase(),
  name: text(100),
  role: z.enum(ROLES),
  password: z.string(),
});
type CreateStaffUserInput = z.infer<typeof CreateStaffUserInput>;

/**
 * Adds a staff user who may sign in to the portal.
 * @throws `email_taken`, `invalid_parameter`
 */
export async function createStaffUser(ctx: Context, input: CreateStaffUserInput): Promise<MeView['user']> {
  requireAdmin(ctx.actor, 'team:manage');
  const parsed = CreateStaffUserInput.safeParse(input);
  if (!parsed.success) throw new CarelaneError(fieldErrors(parsed.error, new Set()));
  const { email, name, role, password } = parsed.data;
  checkNewPassword(password, email);
  const { tenantId } = ctx;
  const passwordHash = await hashPassword(password);
  const now = ctx.clock.now();
  const id = newId(now);
  try {
    await ctx.db.$transaction(async (tx) => {
      await tx.staffUser.create({ data: { id, tenantId, email, name, role, passwordHash, createdAt: now } });
      await tx.tenantRoute.create({ data: { key: staffRoute(email), tenantId } });
      await record(tx, ctx, { action: 'team.create', object: { type: 'StaffUser', id }, details: { role } });
    });
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw apiError('email_taken', 'A team member with this email already exists.', {
        source: { pointer: '/email' },
      });
    throw error;
  }
  return { id, name, email, role };
}
