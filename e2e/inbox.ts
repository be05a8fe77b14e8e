import { expect } from '@playwright/test';
import { readCard } from './card.ts';

type Mail = { subject: string; text: string; html?: string };

/** The newest mail to an address, once it has come; of those with that subject, where one is given. */
export async function awaitMail(address: string, subject?: string): Promise<Mail> {
  let newest: Mail | undefined;
  await expect(async () => {
    const query = new URLSearchParams({ to: address, kind: 'email' });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    const mails = (await response.json()) as Mail[];
    newest = mails.find((mail) => subject === undefined || mail.subject === subject);
    expect(newest, `a mail to ${address}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return newest!;
}

/** Until as many mails have come to an address. */
export async function awaitMails(address: string, count: number): Promise<void> {
  await expect(async () => {
    const query = new URLSearchParams({ to: address, kind: 'email' });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    expect((await response.json()) as Mail[], `mails to ${address}`).toHaveLength(count);
  }).toPass({ timeout: 30_000 });
}

/** The newest text to a number, once one has come since. */
export async function awaitText(number: string, since: string): Promise<string> {
  let newest: { text: string } | undefined;
  await expect(async () => {
    const query = new URLSearchParams({ to: number, kind: 'sms', since });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    [newest] = (await response.json()) as { text: string }[];
    expect(newest, `a text to ${number}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return newest!.text;
}

/** The code of the newest message to an address or number, once one has come since. */
export async function awaitCode(to: string, since: string): Promise<string> {
  let code: string | undefined;
  await expect(async () => {
    const query = new URLSearchParams({ to, since });
    const response = await fetch(`${readCard().emulators.inbox}/messages?${query}`);
    const [newest] = (await response.json()) as { text: string }[];
    code = newest?.text.match(/\b(?:\d{6}|\d{10})\b/)?.[0];
    expect(code, `a code to ${to}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return code!;
}

/** The first address that a mail names. */
export function linkIn({ text }: Mail): string {
  const [link] = text.match(/https?:\/\/\S+/) ?? [];
  if (!link) throw new Error(`no link in: ${text}`);
  return link;
}

/** The temporary password of an invitation. */
export const temporaryIn = ({ text }: Mail): string => text.match(/\b[a-z2-9]{4}(?:-[a-z2-9]{4}){3}\b/)?.[0] ?? '';
