import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { withClinic } from '#dev/testing/clinic.ts';
import { freePort } from '#dev/testing/http-server.ts';
import { deliverMessage } from './deliver-message.ts';

test('a mail server’s error text with the recipient appears in neither the log nor the job', async () => {
  const port = await freePort();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _, done) {
      done(Object.assign(new Error(`No mailbox for <${address}> here`), { responseCode: 550 }));
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const clinic = await withClinic({ env: { SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_TLS: 'off' } });
  const { services, tenant } = clinic;
  try {
    const lines: unknown[] = [];
    services.log.error = (...args: unknown[]) => void lines.push(args);
    const message = JSON.stringify({ kind: 'password_changed', to: 'ada@example.test' });
    const sealed = Buffer.from(services.cipher.seal(message, `jobs/send_message/${tenant.id}`)).toString('base64');
    const errorText = await deliverMessage(
      services,
      { tenantId: tenant.id, sealed },
      async () => null,
      async () => false,
    ).catch(String);
    expect(errorText).toContain('550');
    expect(`${errorText}${JSON.stringify(lines)}`).not.toMatch(/example\.test|No mailbox/);
    expect(JSON.stringify(lines)).toContain('550');
  } finally {
    await clinic.stop();
    await new Promise<void>((resolve) => server.close(resolve));
  }
});
