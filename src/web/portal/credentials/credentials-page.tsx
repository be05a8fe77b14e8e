'use client';
import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { ExternalLink, KeyRound, Pencil, RefreshCw, ShieldOff, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { ApplicationView } from '#contract/settings.ts';
import { MAX_ORIGINS } from '#contract/websites.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Badge } from '#web/ui/badge.tsx';
import { AddButton, Button, IconButton } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { CopyField } from '#web/ui/copy-field.tsx';
import { DateTime } from '#web/ui/date-time.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { lazyComponent } from '#web/ui/lazy-component.ts';
import { PageHeader } from '#web/ui/page-header.tsx';
import { SearchInput } from '#web/ui/search-input.tsx';
import { DataTableSkeleton, Skeleton } from '#web/ui/skeleton.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';
import { SCOPE_NAMES } from '../../ui/scope-names.ts';
import { useMe } from '../me.tsx';
import { RowMenu } from '../shell/action-menu.tsx';
import { useQueryParam } from '../use-query-param.ts';
import { AddOrigin } from './add-origin.tsx';
import { type Addresses, AddressesContext, ApiAddresses } from './api-addresses.tsx';
import { AppAddresses } from './app-addresses.tsx';

const EditApplication = lazyComponent(() =>
  import('./application-dialog.tsx').then((module) => module.EditApplication),
);

const RotateSecretDialog = lazyComponent(() =>
  import('./rotate-secret-dialog.tsx').then((module) => module.RotateSecretDialog),
);

const RevokeSecret = lazyComponent(() => import('./revoke-dialogs.tsx').then((module) => module.RevokeSecret));

const RevokeApplication = lazyComponent(() =>
  import('./revoke-dialogs.tsx').then((module) => module.RevokeApplication),
);

type Secret = ApplicationView['secrets'][number];

function ApplicationCard({ application }: { application: ApplicationView }) {
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
            <RowMenu
              of={application.name}
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

const RemoveOrigin = lazyComponent(() => import('./revoke-dialogs.tsx').then((module) => module.RemoveOrigin));

/** Websites whose pages may call the API from a patient's browser. */
function AllowedOrigins() {
  const trpc = useTRPC();
  const origins = useQuery(trpc.applications.allowedOrigins.queryOptions({}));
  const [removing, setRemoving] = useState<string | null>(null);
  const isSandbox = useMe().environment === 'sandbox';
  return (
    <Card aria-label="Allowed origins">
      <CardHeader
        title="Allowed origins"
        description="The websites where your app runs in a browser. Servers and native apps need no entry; an app wrapped by Capacitor or Ionic needs capacitor://localhost or ionic://localhost."
      />
      {origins.error ? (
        <ErrorState error={origins.error} onRetry={() => void origins.refetch()} />
      ) : (
        <CardBody className="grid gap-4">
          {!origins.data ? (
            <Skeleton className="h-16" />
          ) : (
            <>
              {origins.data.length > 0 ? (
                <OriginList origins={origins.data} onRemove={setRemoving} />
              ) : (
                <p className="text-muted">
                  No website is listed, so no page on the internet can call the API from a browser.
                </p>
              )}
              {isSandbox && (
                <p className="text-[13px] text-muted">
                  This is a sandbox: pages on a developer’s own machine (localhost) may call it without an entry.
                </p>
              )}
              {origins.data.length < MAX_ORIGINS ? (
                <AddOrigin listed={origins.data} />
              ) : (
                <p className="text-muted">These are {MAX_ORIGINS}, which is the most. Remove one to add another.</p>
              )}
            </>
          )}
        </CardBody>
      )}
      {removing && origins.data && (
        <RemoveOrigin origin={removing} listed={origins.data} onClose={() => setRemoving(null)} />
      )}
    </Card>
  );
}

function OriginList({ origins, onRemove }: { origins: string[]; onRemove: (origin: string) => void }) {
  return (
    <ul aria-label="Listed websites" className="divide-y divide-line rounded-md border border-line">
      {origins.map((origin) => (
        <li key={origin} className="flex items-center justify-between gap-3 py-1 pr-1 pl-3">
          <code className="font-mono text-[13px] wrap-anywhere">{origin}</code>
          <IconButton icon={Trash2} label={`Remove ${origin}`} onClick={() => onRemove(origin)} />
        </li>
      ))}
    </ul>
  );
}

const CreateApplication = lazyComponent(() =>
  import('./application-dialog.tsx').then((module) => module.CreateApplication),
);

export function CredentialsPage({ addresses }: { addresses: Addresses }) {
  const trpc = useTRPC();
  const [search, setSearch] = useQueryParam('search');
  const [creating, setCreating] = useState(false);
  const applications = useQuery(trpc.applications.list.queryOptions({}));
  // The page renders when one batched request has loaded everything, which prevents layout shifts.
  const settings = useQueries({
    queries: [
      trpc.applications.configurationTokens.queryOptions({}),
      trpc.applications.allowedOrigins.queryOptions({}),
      trpc.applications.appAddresses.queryOptions({}),
    ],
  });
  const isLoading = [applications, ...settings].some(({ isPending }) => isPending);
  const query = search.toLowerCase();
  const shown = applications.data?.filter(({ name, client_id }) =>
    `${name} ${client_id}`.toLowerCase().includes(query),
  );
  const create = <AddButton onClick={() => setCreating(true)}>Create application</AddButton>;
  return (
    <AddressesContext value={addresses}>
      <PageHeader
        title="API credentials"
        description={
          <>
            How your own software signs in to Carelane.{' '}
            <a href="/docs" className="text-accent-ink underline underline-offset-3">
              How to build on it
            </a>
          </>
        }
        actions={create}
      />
      {isLoading ? (
        <Card className="overflow-hidden">
          <DataTableSkeleton columns={3} />
        </Card>
      ) : (
        <div className="grid gap-8">
          <section aria-labelledby="applications" className="grid gap-3">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <h2 id="applications" className="font-semibold">
                Server applications
              </h2>
              <SearchInput label="Search applications" value={search} onSearch={setSearch} className="w-full md:w-64" />
            </div>
            {shown && shown.length > 0 ? (
              shown.map((application) => <ApplicationCard key={application.id} application={application} />)
            ) : (
              <Card className="overflow-hidden">
                {applications.error ? (
                  <ErrorState error={applications.error} onRetry={() => void applications.refetch()} />
                ) : search ? (
                  <EmptyState icon={KeyRound} title="No application matches" description="Try fewer letters." />
                ) : (
                  <EmptyState
                    icon={KeyRound}
                    title="No applications yet"
                    description="Create one for each server that calls the API. Each has rights and secrets of its own."
                    action={create}
                  />
                )}
              </Card>
            )}
          </section>
          <ConfigurationTokens />
          <AllowedOrigins />
          <AppAddresses />
          <InvitationsCard />
        </div>
      )}
      {creating && <CreateApplication onClose={() => setCreating(false)} />}
    </AddressesContext>
  );
}

/** Controls whether staff and applications may invite patients to sign in. */
function InvitationsCard() {
  const trpc = useTRPC();
  const router = useRouter();
  const enabled = useMe().tenant.invites_enabled;
  const turn = useMutation(
    trpc.invitations.turn.mutationOptions({
      onSuccess: () => {
        toast.success(enabled ? 'Invitations are off' : 'Invitations are on');
        router.refresh();
      },
      onError: (error) => toast.error(firstErrorMessage(error)),
    }),
  );
  return (
    <Card aria-label="Invitations">
      <CardHeader
        title="Invitations"
        description="Staff and your applications invite patients by email or text."
        actions={
          <Button size="sm" pending={turn.isPending} onClick={() => turn.mutate({ enabled: !enabled })}>
            {enabled ? 'Turn off' : 'Turn on'}
          </Button>
        }
      />
      <CardBody>
        <Badge tone={enabled ? 'good' : 'neutral'} dot>
          {enabled ? 'Patients can be invited' : 'Patients cannot be invited'}
        </Badge>
      </CardBody>
    </Card>
  );
}

function ConfigurationTokens() {
  const trpc = useTRPC();
  const { environment } = useMe();
  const tokens = useQuery(trpc.applications.configurationTokens.queryOptions({}));
  return (
    <Card>
      <CardHeader
        title="Configuration tokens"
        description="For the sign-in of patients in your app. They are not secret and may ship inside it."
      />
      {tokens.error ? (
        <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} />
      ) : (
        <CardBody className="grid gap-4">
          {tokens.data ? (
            <>
              <CopyField label="Sign-in by text message" value={tokens.data.passwordless} />
              <CopyField label="Sign-in by email and password" value={tokens.data.credentials} />
              {environment === 'sandbox' && <OpenPlayground tokens={tokens.data} />}
            </>
          ) : (
            <Skeleton className="h-24" />
          )}
        </CardBody>
      )}
    </Card>
  );
}

/** Opens a sample patient app. The tokens travel in the URL fragment, which reaches no server or log. */
function OpenPlayground({ tokens }: { tokens: { passwordless: string; credentials: string } }) {
  const { passwordless, credentials } = tokens;
  return (
    <Button asChild className="justify-self-start">
      <a href={`/playground#${new URLSearchParams({ passwordless, credentials })}`} target="_blank" rel="noopener">
        <ExternalLink aria-hidden />
        Open the playground
      </a>
    </Button>
  );
}
