'use client';
import { MoreHorizontal, Pencil, RefreshCw, ShieldOff } from 'lucide-react';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { ApplicationView } from '#contract/settings.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { CopyField } from '#web/ui/copy-field.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { DropdownMenu } from '#web/ui/dropdown-menu.tsx';
import { SCOPE_NAMES } from '../../ui/scope-names.ts';
import { ApiAddresses } from './api-addresses.tsx';

const EditApplication = dynamic(() => import('./application-dialog.tsx').then((module) => module.EditApplication), {
  ssr: false,
});

const RotateSecretDialog = dynamic(
  () => import('./rotate-secret-dialog.tsx').then((module) => module.RotateSecretDialog),
  { ssr: false },
);

const RevokeSecret = dynamic(() => import('./revoke-secret.tsx').then((module) => module.RevokeSecret), { ssr: false });

const RevokeApplication = dynamic(() => import('./revoke-application.tsx').then((module) => module.RevokeApplication), {
  ssr: false,
});

type Secret = ApplicationView['secrets'][number];

export function ApplicationCard({ application }: { application: ApplicationView }) {
  const [open, setOpen] = useState<'edit' | 'rotate' | 'revoke' | Secret | null>(null);
  const close = () => setOpen(null);
  const revoked = application.revoked_at !== null;
  return (
    <Card aria-label={application.name}>
      <CardHeader
        title={application.name}
        description={
          application.last_used_at ? (
            <>
              Last used <DateTime value={application.last_used_at} />
            </>
          ) : (
            'Never used'
          )
        }
        actions={
          revoked ? (
            <Badge dot>Revoked</Badge>
          ) : (
            <DropdownMenu
              label={`Actions for ${application.name}`}
              trigger={
                <Button variant="ghost" size="sm" aria-label={`Actions for ${application.name}`} className="max-md:h-9">
                  <MoreHorizontal aria-hidden />
                </Button>
              }
              entries={[
                {
                  kind: 'action',
                  label: 'Change name and rights',
                  icon: Pencil,
                  onSelect: () => setOpen('edit'),
                },
                { kind: 'action', label: 'New secret', icon: RefreshCw, onSelect: () => setOpen('rotate') },
                {
                  kind: 'action',
                  label: 'Revoke application',
                  icon: ShieldOff,
                  danger: true,
                  onSelect: () => setOpen('revoke'),
                },
              ]}
            />
          )
        }
      />
      <CardBody className="grid gap-4">
        <CopyField label="Client id" value={application.client_id} />
        {!revoked && <ApiAddresses />}
        <div className="grid gap-1.5">
          <span className="text-[13px] font-medium">Rights</span>
          <span className="flex flex-wrap gap-1.5">
            {application.scopes.map((scope) => (
              <Badge key={scope}>{SCOPE_NAMES[scope]}</Badge>
            ))}
          </span>
        </div>
        {!revoked && (
          <div className="grid gap-1.5">
            <span className="text-[13px] font-medium">Secrets</span>
            <ul className="divide-y divide-line rounded-md border border-line">
              {application.secrets.map((secret) => (
                <li key={secret.id} className="flex items-center justify-between gap-3 px-3 py-1.5">
                  <span>
                    <code className="font-mono text-[13px]">…{secret.hint}</code>{' '}
                    <span className="text-[13px] text-muted">
                      made <DateTime value={secret.created_at} shape="date" />,{' '}
                      {secret.last_used_at ? (
                        <>
                          last used <DateTime value={secret.last_used_at} />
                        </>
                      ) : (
                        'never used'
                      )}
                    </span>
                  </span>
                  {application.secrets.length > 1 && (
                    <Button
                      size="sm"
                      variant="ghost"
                      aria-label={`Revoke the secret ending in ${secret.hint}`}
                      onClick={() => setOpen(secret)}
                    >
                      Revoke
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </div>
        )}
      </CardBody>
      {open === 'edit' && <EditApplication application={application} onClose={close} />}
      {open === 'rotate' && <RotateSecretDialog application={application} onClose={close} />}
      {open === 'revoke' && <RevokeApplication application={application} onClose={close} />}
      {open !== null && typeof open === 'object' && (
        <RevokeSecret application={application} secret={open} onClose={close} />
      )}
    </Card>
  );
}
