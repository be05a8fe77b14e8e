-- The appointment whose calendar entry a message continues: the same time was canceled and booked again at once.
ALTER TABLE "visit_messages" ADD COLUMN "entry_id" UUID;
