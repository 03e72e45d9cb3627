/// What each metric of the mesh means, for the `# HELP` lines of `/metrics`. A test compares the names with those in the
/// sources.
enum MetricHelp {
    /// The sentence about a metric family.
    static func text(of family: String) -> String {
        texts[family] ?? "A measurement of a process that this version of the gateway does not know."
    }

    static let texts: [String: String] = [
        "latchkey_http_requests_total": "HTTP requests by route and class of status.",
        "latchkey_http_request_duration_seconds": "Duration of HTTP requests by class of status.",
        "latchkey_http_route_duration_seconds": "Duration of successful HTTP requests by the kind of their route.",
        "latchkey_limit_refusals_total": "Requests that a limit refused, by the name of the limit.",
        "latchkey_metrics_dropped_series_total": "Requests for series beyond the maximum of a process.",

        "latchkey_traces_exported_spans_total": "Spans that the receiver of traces has accepted.",
        "latchkey_traces_dropped_spans_total": "Spans dropped because the queue was full, or by the receiver's fault.",
        "latchkey_traces_waiting_spans": "Spans that wait for their export.",

        "latchkey_bus_request_duration_seconds": "Duration of a bus request by its service, seen by the gateway.",
        "latchkey_bus_connected_brokers": "Brokers that the process is connected with.",
        "latchkey_bus_pending_replies": "Calls of the process that wait for a reply.",
        "latchkey_bus_running_requests": "Requests that the process handles at present.",
        "latchkey_bus_late_replies_total": "Replies that came after the deadline of their call.",
        "latchkey_bus_dropped_replies_total": "Replies that no connection took.",
        "latchkey_bus_dropped_events_total": "Events that no connection took.",
        "latchkey_bus_refused_requests_total": "Requests that the process refused because it had no room.",
        "latchkey_bus_malformed_messages_total": "Messages from brokers that do not have the form of the bus.",
        "latchkey_bus_refused_callers_total": "Requests that the key of their sender does not permit.",

        "latchkey_broker_requests_dispatched_total": "Requests given to workers, repetitions included.",
        "latchkey_broker_requests_redispatched_total": "Requests that lost their worker and were queued again.",
        "latchkey_broker_replies_total": "Replies that match a request.",
        "latchkey_broker_duplicate_requests_total": "Requests with the id of a waiting or running one.",
        "latchkey_broker_unexpected_replies_total": "Replies that match no request of their sender.",
        "latchkey_broker_reply_timeouts_total": "Requests without a reply long after their deadline.",
        "latchkey_broker_events_total": "Events of members.",
        "latchkey_broker_malformed_messages_total": "Messages from members that do not have the form of the bus.",
        "latchkey_broker_messages_not_permitted_total":
            "Messages of processes whose key is not in the table of peers, or does not permit their service.",
        "latchkey_broker_dropped_messages_total": "Messages dropped because the queue of a connection was full.",
        "latchkey_broker_refused_requests_total": "Requests that the broker refused, by error code.",
        "latchkey_broker_members": "Processes that are connected with the broker.",
        "latchkey_broker_blocked_payloads": "Payloads that no worker gets for a while, because one crashed over them.",
        "latchkey_broker_queue_duration_seconds": "How long requests waited for a worker of a service.",
        "latchkey_broker_queued_requests": "Requests that wait for a worker of a service.",
        "latchkey_broker_running_requests": "Requests that workers of a service handle at present.",
        "latchkey_broker_workers": "Workers of a service.",

        "latchkey_identity_mails_total": "E-mails given to the notifier, by result.",
        "latchkey_identity_pending_mails": "E-mails that wait for the notifier.",
        "latchkey_identity_oldest_pending_mail_seconds": "Age of the oldest e-mail that waits for the notifier.",
        "latchkey_identity_account_events_total": "Account events given to the notifier, by result.",
        "latchkey_identity_pending_account_events": "Account events that the notifier has not accepted.",
        "latchkey_identity_oldest_pending_account_event_seconds":
            "Age of the oldest account event that the notifier has not accepted.",
        "latchkey_identity_account_deletions_total": "Deleted accounts that services were told of, by result.",
        "latchkey_identity_pending_account_deletions": "Deleted accounts that a service has not been told of.",
        "latchkey_identity_oldest_pending_account_deletion_seconds":
            "Age of the oldest deletion that a service has not been told of.",
        "latchkey_identity_blocking_function_calls_total": "Calls of blocking functions, by event and result.",
        "latchkey_identity_blocking_function_duration_seconds": "Duration of calls of blocking functions, by event.",

        "latchkey_notifier_messages_total": "Messages by channel, result and reason.",
        "latchkey_notifier_delivery_duration_seconds": "Time from the request of a message to its delivery.",
        "latchkey_notifier_queued_messages": "Messages of a channel that wait.",
        "latchkey_notifier_oldest_queued_message_age_seconds": "Age of the oldest message of a channel that waits.",
        "latchkey_notifier_provider_call_duration_seconds": "Duration of a call of an SMS provider.",
        "latchkey_notifier_provider_calls_total": "Calls of SMS providers, by provider and result.",
        "latchkey_notifier_provider_circuit_open": "1 while calls of an SMS provider pause after failures.",
        "latchkey_notifier_delivery_receipts_total": "Delivery receipts by provider and receipt.",
        "latchkey_notifier_pending_webhook_events": "Events that no webhook has accepted.",
        "latchkey_notifier_oldest_pending_webhook_event_age_seconds":
            "Age of the oldest event that waits for a webhook.",
        "latchkey_notifier_restored_webhook_events_total": "Pending events that had no queue and got one.",
        "latchkey_notifier_failing_webhooks": "Webhooks with an outage or a response 410.",
        "latchkey_notifier_webhook_events_total": "Webhook events by result.",
        "latchkey_notifier_webhook_attempts_total": "Attempts to deliver webhook events, by result.",

        "latchkey_sms_cost_total": "Cost of sent SMS by the prices that count for budgets, in their currency.",
        "latchkey_sms_messages_total": "SMS that were sent or refused, by result and reason.",
        "latchkey_sms_codes_total": "SMS codes by purpose and result.",
        "latchkey_totp_codes_total": "TOTP codes by result.",
        "latchkey_totp_clock_skew_seconds": "By how much the clock is behind the newest code that was accepted.",
        "latchkey_passkey_ceremonies_total": "Finished passkey ceremonies by ceremony and result.",
        "latchkey_passkey_sign_count_regressions_total": "Signature counters of passkeys that did not increase.",
        "latchkey_federation_verifications_total": "Responses of identity providers, by provider and result.",
        "latchkey_federation_provider_request_duration_seconds": "Duration of a request to an identity provider.",
        "latchkey_federation_provider_requests_total": "Requests to identity providers, by result.",

        "latchkey_storage_outage_seconds": "Duration of the present outage of a database; 0 without one.",
        "latchkey_storage_failed_checks_total": "Failed checks of a database.",
        "latchkey_component_outage_seconds": "Duration of the present outage of a component.",

        "latchkey_process_example_setting": "1 for each setting of a process that looks like one of an example.",
        "latchkey_process_info": "1 for each process, with its version and process id.",
        "latchkey_process_allocator_arenas": "Arenas of the memory allocator.",
        "process_resident_memory_bytes": "Resident memory.",
        "process_cpu_seconds_total": "Processor time of the process.",
        "process_start_time_seconds": "When the process started, in seconds since 1970.",
    ]
}
