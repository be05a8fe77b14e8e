import type { Context } from '../../../core/context.ts';
import { personKey } from '../../proving/codes/person-key.ts';

/** Under what wrong codes are counted: the account alone, for a million codes are soon tried from many places. */
export const secondStepTries = (ctx: Context, userId: string): string => personKey(ctx, `staff-code\n${userId}`);
