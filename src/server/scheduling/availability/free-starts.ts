import type { Minute } from '#server/core/zone.ts';
import type { Claim } from '../appointments/slot-claims.ts';
import type { BookableType } from '../catalogue/catalogue.ts';

type Paddings = Pick<BookableType, 'paddingBeforeMinutes' | 'paddingAfterMinutes'>;
const NONE: Paddings = { paddingBeforeMinutes: 0, paddingAfterMinutes: 0 };

/**
 * The starts at which an appointment of this type would meet no claim of the calendar. Two appointments keep the larger
 * of the paddings between them, as Acuity does, so a time beside a fresh booking is not offered in vain.
 */
export function freeStarts(starts: Minute[], type: BookableType, claims: Claim[], types: BookableType[]): Minute[] {
  if (claims.length === 0) return starts;
  const busy = claims.map((claim) => {
    const { paddingBeforeMinutes, paddingAfterMinutes } = types.find(({ id }) => id === claim.typeId) ?? NONE;
    return {
      from: claim.from - Math.max(type.paddingAfterMinutes, paddingBeforeMinutes),
      until: claim.until + Math.max(type.paddingBeforeMinutes, paddingAfterMinutes),
    };
  });
  return starts.filter(
    (start) => !busy.some(({ from, until }) => start < until && start + type.durationMinutes > from),
  );
}
