import { ErrorReply } from '../core/route.ts';
import { addonsOf, type Call, calendarOf, parseStart, typeOf } from './call.ts';
import { onlyKnown, type Values } from './params.ts';
import { findFreeCalendar } from './slots.ts';

/**
 * Returns the request with `valid`, true when it can be booked now. Acuity does
 * not document the key for the reason; the emulator uses its error shape.
 */
export function checkTime(call: Call, values: Values) {
  onlyKnown(values, ['datetime', 'appointmentTypeID', 'calendarID', 'addonIDs']);
  try {
    const type = typeOf(call, values);
    const calendar = calendarOf(call, values);
    const start = parseStart(call, values, calendar);
    findFreeCalendar(
      call,
      {
        type,
        duration: addonsOf(call, values, type).reduce((total, addon) => total + addon.duration, type.duration),
        calendar,
        ignore: [],
      },
      start.at,
      start.text,
    );
    return { ...values, valid: true };
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    const { error: code, message } = error.reply.body as { error: string; message: string };
    return { ...values, valid: false, error: code, message };
  }
}
