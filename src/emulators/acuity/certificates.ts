import { randomBytes } from 'node:crypto';
import { type Call, newId, typeOf } from './call.ts';
import { acuityError } from './errors.ts';
import { idOf, isEmail, rejectUnknown, textOf, type Values } from './params.ts';
import type { Appointment, AppointmentType, Certificate } from './state.ts';
import { DAY_MS, localDate } from './zone.ts';

const CODE = /^[\w-]{1,64}$/;

/**
 * Creates a code for a package (`productID`) or a coupon (`couponID`), exactly one of them; the code is the
 * caller's or random. Acuity does not document its errors for an unknown product or an existing code.
 */
export function createCertificate(call: Call, values: Values): Certificate {
  rejectUnknown(values, ['certificate', 'productID', 'couponID', 'email', 'name']);
  const { account, now } = call;
  const productID = idOf(values, 'productID');
  const couponID = idOf(values, 'couponID');
  if ((productID === null) === (couponID === null))
    throw acuityError('bad_request', 'Either "productID" or "couponID" is required.');
  const product = account.products.find(({ id, deleted }) => id === productID && !deleted);
  const coupon = account.coupons.find(({ id }) => id === couponID);
  const source = product ?? coupon;
  if (!source) throw acuityError('bad_request', 'There is no such product or coupon.');
  const code = textOf(values, 'certificate') || randomBytes(4).toString('hex').toUpperCase();
  if (!CODE.test(code)) throw acuityError('bad_request', 'A certificate consists of letters, digits, - and _.');
  if (findCode(call, code)) throw acuityError('bad_request', `The certificate "${code}" exists already.`);
  const email = textOf(values, 'email');
  if (email && !isEmail(email)) throw acuityError('invalid_email', email);
  const counts = product ? product.counts : (coupon?.uses ?? null);
  const expires = product?.expiresInDays ?? null;
  const certificate: Certificate = {
    id: newId(call),
    code,
    productID: product?.id ?? null,
    couponID: coupon?.id ?? null,
    orderID: null,
    appointmentTypeIDs: source.appointmentTypeIDs,
    name: textOf(values, 'name') || source.name,
    email,
    remainingCounts:
      counts === null ? null : Object.fromEntries(source.appointmentTypeIDs.map((id) => [String(id), counts])),
    remainingMinutes: product?.minutes ?? null,
    expiresAt: expires === null ? null : now + expires * DAY_MS,
  };
  account.certificates.push(certificate);
  return certificate;
}

/** Lists certificates, filtered by package, order or client when given. */
export function listCertificates({ account }: Call, query: Values): Certificate[] {
  const productID = idOf(query, 'productID');
  const orderID = idOf(query, 'orderID');
  const email = textOf(query, 'email').toLowerCase();
  return account.certificates
    .filter((each) => productID === null || each.productID === productID)
    .filter((each) => orderID === null || each.orderID === orderID)
    .filter((each) => email === '' || each.email.toLowerCase() === email);
}

export function deleteCertificate({ account }: Call, id: string | undefined): void {
  const index = account.certificates.findIndex((each) => String(each.id) === id);
  if (index < 0) throw acuityError('not_found');
  account.certificates.splice(index, 1);
}

/** `GET /certificates/check`: returns the certificate, or the error that booking with it returns. */
export function checkCertificate(call: Call, query: Values): Certificate {
  rejectUnknown(query, ['certificate', 'appointmentTypeID', 'email']);
  const type = typeOf(call, query);
  return requireUsable(call, textOf(query, 'certificate'), type, {
    email: textOf(query, 'email'),
    minutes: type.duration,
  });
}

/**
 * Returns the certificate if it covers `minutes` minutes of this type. The error messages are not Acuity's.
 * @throws ErrorReply `invalid_certificate`, `expired_certificate`, `invalid_certificate_type`, `certificate_uses`
 */
export function requireUsable(
  call: Call,
  code: string,
  type: AppointmentType,
  { email, minutes }: { email: string; minutes: number },
): Certificate {
  const certificate = findCode(call, code);
  if (!certificate || (certificate.email && email && certificate.email.toLowerCase() !== email.toLowerCase()))
    throw acuityError('invalid_certificate', code);
  if (certificate.expiresAt !== null && certificate.expiresAt <= call.now)
    throw acuityError('expired_certificate', code);
  if (!certificate.appointmentTypeIDs.includes(type.id)) throw acuityError('invalid_certificate_type', code);
  const { remainingCounts, remainingMinutes } = certificate;
  if (remainingCounts && (remainingCounts[type.id] ?? 0) < 1) throw acuityError('certificate_uses', code);
  if (remainingMinutes !== null && remainingMinutes < minutes) throw acuityError('certificate_uses', code);
  return certificate;
}

/**
 * Deducts an appointment from its certificate, or with -1 credits it. Does nothing when the certificate was deleted.
 */
export function redeemCertificate(call: Call, { certificate, typeId, duration }: Appointment, times: 1 | -1 = 1): void {
  const stored = certificate === null ? undefined : findCode(call, certificate);
  if (!stored) return;
  if (stored.remainingCounts) stored.remainingCounts[typeId] = (stored.remainingCounts[typeId] ?? 0) - times;
  if (stored.remainingMinutes !== null) stored.remainingMinutes -= times * duration;
}

const findCode = ({ account }: Call, code: string): Certificate | undefined =>
  account.certificates.find((each) => each.code.toLowerCase() === code.toLowerCase());

export const presentCertificate = ({ account }: Call, certificate: Certificate) => ({
  id: certificate.id,
  certificate: certificate.code,
  productID: certificate.productID,
  orderID: certificate.orderID,
  appointmentTypeIDs: certificate.appointmentTypeIDs,
  name: certificate.name,
  email: certificate.email,
  type: certificate.remainingMinutes === null ? 'counts' : 'minutes',
  remainingCounts: certificate.remainingCounts,
  remainingMinutes: certificate.remainingMinutes,
  expiration: certificate.expiresAt === null ? null : localDate(certificate.expiresAt, account.timezone),
});
