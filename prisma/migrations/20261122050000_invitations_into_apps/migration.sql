-- Pages of the clinic's own app that its mails lead to, in place of ours.
ALTER TABLE "tenants"
    ADD COLUMN "invitation_url" TEXT,
    ADD COLUMN "reset_url" TEXT,
    ADD COLUMN "confirmation_url" TEXT;
-- Where one patient's invitation leads, if whoever invited said so.
ALTER TABLE "patient_sign_ins" ADD COLUMN "invitation_url" TEXT;
