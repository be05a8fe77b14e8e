/** Formats "+12025550123" as "+1 (202) 555-0123"; numbers of other countries stay in E.164. */
export function formatPhone(e164: string): string {
  return e164.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '+1 ($1) $2-$3');
}
