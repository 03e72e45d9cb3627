/// The events of the log, each with its levels and its meaning: `latchkey settings log-events` writes the page of operators
/// from them.
package enum LogEvent: String, CaseIterable, Sendable {
    case processStarted = "process.started"
    case processExited = "process.exited"
    case processKilled = "process.killed"
    case processUnusable = "process.unusable"
    case processOutput = "process.output"
    case processFailed = "process.failed"
    case processComponentFailed = "process.component-failed"
    case processStartDelayed = "process.start-delayed"
    case processStartEnded = "process.start-ended"
    case processStopRequested = "process.stop-requested"
    case processStopped = "process.stopped"
    case processClosingTimedOut = "process.closing-timed-out"

    case meshStarting = "mesh.starting"
    case meshReady = "mesh.ready"
    case meshStartDelayed = "mesh.start-delayed"
    case meshDescriptionFailed = "mesh.description-failed"

    case settingIsExample = "setting.is-example"

    case seedImported = "seed.imported"
    case seedUserRefused = "seed.user-refused"

    case usersExported = "users.exported"
    case usersExportFailed = "users.export-failed"

    case logLinesDropped = "log.lines-dropped"

    case metricsSeriesDropped = "metrics.series-dropped"

    case maintenanceFailed = "maintenance.failed"

    case tracesNotExported = "traces.not-exported"

    case brokerListening = "broker.listening"
    case brokerMemberJoined = "broker.member-joined"
    case brokerMemberLeft = "broker.member-left"
    case brokerMemberRefused = "broker.member-refused"
    case brokerPeerNotPermitted = "broker.peer-not-permitted"
    case brokerRequestBlocked = "broker.request-blocked"
    case brokerRequestQuarantined = "broker.request-quarantined"
    case brokerMessageMalformed = "broker.message-malformed"

    case busConnected = "bus.connected"
    case busBrokerLost = "bus.broker-lost"
    case busHostUnknown = "bus.host-unknown"
    case busMessageMalformed = "bus.message-malformed"
    case busCallerRefused = "bus.caller-refused"
    case busPeersChanged = "bus.peers-changed"
    case busPeersRefused = "bus.peers-refused"
    case busHandlerFailed = "bus.handler-failed"

    case httpListening = "http.listening"
    case httpDraining = "http.draining"

    case requestCompleted = "request.completed"
    case requestFailed = "request.failed"

    case limitExceeded = "limit.exceeded"

    case pageRefused = "page.refused"

    case databaseConnectFailed = "database.connect-failed"
    case databaseMigrated = "database.migrated"
    case databaseSchemaNewer = "database.schema-newer"
    case databaseReplaced = "database.replaced"

    case storeLost = "store.lost"
    case storeStillLost = "store.still-lost"
    case storeRecovered = "store.recovered"

    case sqliteReported = "sqlite.reported"

    case clockUnconfirmed = "clock.unconfirmed"
    case clockDoubted = "clock.doubted"
    case clockTrusted = "clock.trusted"

    case activityDropped = "activity.dropped"
    case activityRefused = "activity.refused"

    case auditAnchored = "audit.anchored"
    case auditDelayed = "audit.delayed"

    case signingKeyMisdated = "signing-key.misdated"
    case signingKeyUsedEarly = "signing-key.used-early"

    case masterKeyCreated = "master-key.created"
    case masterKeyReloaded = "master-key.reloaded"
    case masterKeyReloadFailed = "master-key.reload-failed"
    case masterKeyMissing = "master-key.missing"
    case masterKeyComplete = "master-key.complete"
    case masterKeyAnnounced = "master-key.announced"

    case sealedRecordsResealed = "sealed-records.resealed"
    case sealedRecordsResealFailed = "sealed-records.reseal-failed"
    case sealedRecordsDecryptFailed = "sealed-records.decrypt-failed"

    case mailNotAccepted = "mail.not-accepted"
    case mailRejected = "mail.rejected"
    case mailExpired = "mail.expired"

    case emailTemplateInvalid = "email-template.invalid"

    case accountEventNotAccepted = "account-event.not-accepted"

    case accountDeletionNotAccepted = "account-deletion.not-accepted"

    case blockingFunctionFailed = "blocking-function.failed"
    case blockingFunctionRefused = "blocking-function.refused"

    case deliverySent = "delivery.sent"
    case deliveryDeferred = "delivery.deferred"
    case deliveryFailed = "delivery.failed"
    case deliveryTransportFailed = "delivery.transport-failed"
    case deliveryTransportRecovered = "delivery.transport-recovered"
    case deliveryReceiverUnavailable = "delivery.receiver-unavailable"
    case deliveryReceiverAvailable = "delivery.receiver-available"
    case deliveryLeasesReleased = "delivery.leases-released"
    case deliveryStoreFailed = "delivery.store-failed"
    case deliveryOutcomeLost = "delivery.outcome-lost"

    case webhookEndpointFailed = "webhook.endpoint-failed"
    case webhookEndpointRecovered = "webhook.endpoint-recovered"
    case webhookEndpointGone = "webhook.endpoint-gone"
    case webhookDeliveryFailed = "webhook.delivery-failed"
    case webhookEventsExpired = "webhook.events-expired"
    case webhookEventsDropped = "webhook.events-dropped"
    case webhookQueuesRestored = "webhook.queues-restored"

    case smsChannelDisabled = "sms.channel-disabled"
    case smsCodeSent = "sms.code-sent"
    case smsCodeVerified = "sms.code-verified"
    case smsVerificationResumed = "sms.verification-resumed"
    case smsEnqueueFailed = "sms.enqueue-failed"
    case smsSessionUpdateFailed = "sms.session-update-failed"
    case smsPrefixBlocked = "sms.prefix-blocked"
    case smsBudgetExhausted = "sms.budget-exhausted"

    case appVerificationProviderFailed = "app-verification.provider-failed"

    case totpClockSkewDetected = "totp.clock-skew-detected"
    case totpFactorLocked = "totp.factor-locked"
    case totpSecretsDeleted = "totp.secrets-deleted"

    case passkeyCeremonyRejected = "passkey.ceremony-rejected"
    case passkeyCounterRegressed = "passkey.counter-regressed"
    case passkeyMetadataOutdated = "passkey.metadata-outdated"
    case passkeyCredentialsDeleted = "passkey.credentials-deleted"

    case providerResponseRejected = "provider-response.rejected"

    case providerRequestFailed = "provider-request.failed"
    case providerRequestRefused = "provider-request.refused"
    case providerRequestSkipped = "provider-request.skipped"

    case providerCertificateRejected = "provider-certificate.rejected"

    case providerIssuerUnresolved = "provider-issuer.unresolved"

    case federationProvidersDeleted = "federation.providers-deleted"

    /// For the page: whole clauses without a full stop, as Markdown.
    package var meaning: String {
        switch self {
        case .processStarted: "the launcher has started a process"
        case .processExited: "a process has ended; the launcher starts another one"
        case .processKilled: "the launcher has killed a process that did not stop"
        case .processUnusable: "a service cannot work; the launcher tries again after a pause"
        case .processOutput: "a line that a process has written beside its log"
        case .processFailed: "why a process or `latchkey up` ends, if the log is JSON; sentences otherwise"
        case .processComponentFailed: "a component of a process has failed; the process ends"
        case .processStartDelayed:
            "the start of a process takes longer than five seconds; `awaited` says what it waits for"
        case .processStartEnded: "how long a delayed start has taken"
        case .processStopRequested: "a process stops; `reason` is the signal, or the end of the launcher"
        case .processStopped: "a process has stopped as requested"
        case .processClosingTimedOut: "a process ends although its database did not close in time; nothing is lost"
        case .meshStarting: "the first line of `latchkey up` on standard output, if the log is JSON"
        case .meshReady: "the mesh serves requests, if the log is JSON"
        case .meshStartDelayed: "the mesh does not become ready; `awaited` names the reason"
        case .meshDescriptionFailed: "`run/mesh.env` cannot be written: commands need their settings themselves"
        case .settingIsExample: "a setting looks like an example of the documentation, outside dev mode"
        case .seedImported: "the users of `LATCHKEY_SEED` are imported"
        case .seedUserRefused: "a user of `LATCHKEY_SEED` is not imported; `reason` says why"
        case .usersExported: "the users are in the file of `LATCHKEY_EXPORT_ON_EXIT`"
        case .usersExportFailed: "the users could not be written to the file of `LATCHKEY_EXPORT_ON_EXIT`"
        case .logLinesDropped:
            "a reader of the log was too slow: `count` lines are missing; a sentence, if the log is text"
        case .metricsSeriesDropped: "a process has more than 512 series, and does not report the others"
        case .maintenanceFailed: "a periodic task has failed, and is repeated"
        case .tracesNotExported:
            "the receiver of [traces](operations.md#traces) did not take `spans`; `reason` says why"
        case .brokerListening: "a broker accepts processes"
        case .brokerMemberJoined: "a process has joined the bus"
        case .brokerMemberLeft: "a process has left the bus, or its heartbeat is missing"
        case .brokerMemberRefused: "a broker has refused a connection"
        case .brokerPeerNotPermitted:
            "a process whose key is no longer in peers.toml, or does not permit the service under which it joins"
        case .brokerRequestBlocked: "a request has crashed its worker; equal requests are refused for a minute"
        case .brokerRequestQuarantined: "two workers were lost over one request"
        case .brokerMessageMalformed: "malformed bytes from a process"
        case .busConnected: "a broker knows this process"
        case .busBrokerLost: "a broker no longer responds"
        case .busHostUnknown: "no name server has an address for the host of a broker; it is asked again"
        case .busMessageMalformed: "malformed bytes from a broker"
        case .busCallerRefused: "a process sent an operation that its key does not permit; it got `notPermitted`"
        case .busPeersChanged: "this process uses a new peers.toml"
        case .busPeersRefused: "a new peers.toml has a mistake; the old one stays in use"
        case .busHandlerFailed: "an unexpected failure of a service; the caller sees `internal` with the trace id"
        case .httpListening: "the gateway accepts connections"
        case .httpDraining: "`/readyz` says that the gateway stops; its listeners close after `seconds`"
        case .requestCompleted:
            "one for each HTTP request: method, route, status, milliseconds, project, client network, trace. "
                + "`LATCHKEY_LOG_WITHOUT_PROBES=1` leaves out successful `/livez`, `/readyz` and `/metrics`"
        case .requestFailed: "an unexpected failure of the gateway; the caller sees `internal` with the trace id"
        case .limitExceeded: "a limit has refused a request; `limit` is one of the [limits](limits.md)"
        case .pageRefused:
            "a page serves no application, because `parameter` is missing or its domain is not registered"
        case .databaseConnectFailed: "the database server is unavailable at the start"
        case .databaseMigrated: "a start has migrated existing tables; `from` and `to` are the schema versions"
        case .databaseSchemaNewer:
            "a newer program has removed from the schema what this one uses; the process ends with 65"
        case .databaseReplaced: "a restore has replaced the database; the process starts again"
        case .storeLost: "an outage of a database has begun"
        case .storeStillLost: "an outage of a database continues"
        case .storeRecovered: "an outage of a database has ended"
        case .sqliteReported: "a message of SQLite, for example that it repaired its log"
        case .clockUnconfirmed:
            "the usual start: expired rows stay until the clock is "
                + "[trusted](../../Shared/Storage/README.md#wrong-clocks)"
        case .clockDoubted: "the clock deviates, for `reason`: expired rows stay until it is trusted"
        case .clockTrusted: "expired rows are removed again"
        case .activityDropped: "counts for the charts of the console had no place: `count` are missing"
        case .activityRefused: "identity has refused counts for the charts of the console, which are missing"
        case .auditAnchored: "the end of the audit chain, sealed and logged each minute; keep these lines elsewhere"
        case .auditDelayed:
            "a change is not in the audit log yet, and the request is repeated; `outbox` is `provider-changes` or "
                + "`notifier-changes`"
        case .signingKeyMisdated:
            "the clock of a process was wrong when it created a signing key; another key is made"
        case .signingKeyUsedEarly:
            "the clock is behind, or was ahead when the signing key was made: it is used before its time"
        case .masterKeyCreated: "the master key was created; save its file"
        case .masterKeyReloaded: "the file of the master key has changed, and was read again"
        case .masterKeyReloadFailed: "the file of the master key cannot be read"
        case .masterKeyMissing:
            "records are under a key that this process does not hold; `/readyz` names the process and "
                + #""sealed records". Give it the key file of the other machines"#
        case .masterKeyComplete: "this process has every key of its records again"
        case .masterKeyAnnounced: "a rotation waits for this machine: copy the key file of the other one"
        case .sealedRecordsResealed: "records are under the current key now"
        case .sealedRecordsResealFailed: "records could not be sealed under the current key; the task is repeated"
        case .sealedRecordsDecryptFailed: "records that no key opens"
        case .mailNotAccepted: "the notifier has failed on an e-mail, which is sent again"
        case .mailRejected: "the notifier has rejected an e-mail for good"
        case .mailExpired: "an e-mail was not delivered in its lifetime"
        case .emailTemplateInvalid: "a project's e-mail text is invalid; the built-in text is sent"
        case .accountEventNotAccepted:
            "the notifier has failed on account events, which are kept: update a notifier of an earlier "
                + "version"
        case .accountDeletionNotAccepted: "a service has failed on deleted accounts, which are sent again"
        case .blockingFunctionFailed: "a blocking function has failed; `reason` says why, `host` names it"
        case .blockingFunctionRefused:
            "a blocking function has refused a sign-in with a status of 400 to 499 and an error message"
        case .deliverySent: "a message is delivered"
        case .deliveryDeferred: "a message waits for another attempt"
        case .deliveryFailed: "a message is not delivered, and there are no further attempts"
        case .deliveryTransportFailed: "an outage of the mail server, a provider or APNs has begun"
        case .deliveryTransportRecovered: "an outage of the mail server, a provider or APNs has ended"
        case .deliveryReceiverUnavailable:
            "a service takes no rows of an outbox of another one, which wait; `outbox` is `mails`, "
                + "`account-events`, `deleted-accounts`, `provider-changes` or `notifier-changes`, `receiver` the service"
        case .deliveryReceiverAvailable: "a service takes the rows of an outbox again"
        case .deliveryLeasesReleased:
            "rows of an outbox that an ended process had leased are delivered at once; `outbox` is a "
                + "channel, `webhooks` or `mails`"
        case .deliveryStoreFailed: "the database of an outbox fails"
        case .deliveryOutcomeLost: "the outcome of an attempt could not be stored: the row is delivered again"
        case .webhookEndpointFailed:
            "an outage of an endpoint has begun: see [webhooks](../use/webhooks.md#order-and-retries)"
        case .webhookEndpointRecovered: "an outage of an endpoint has ended"
        case .webhookEndpointGone: "an endpoint has answered 410 and gets no more events"
        case .webhookDeliveryFailed: "an event was not delivered, and there are no further attempts"
        case .webhookEventsExpired: "events were not delivered in their lifetime"
        case .webhookEventsDropped: "the queue of a webhook is too long, and its oldest events are lost"
        case .webhookQueuesRestored: "events were missing in the queues of webhooks, and are in them again"
        case .smsChannelDisabled: "no SMS provider is set: SMS is disabled"
        case .smsCodeSent: "a code was given to the notifier"
        case .smsCodeVerified: "a user has entered the right code"
        case .smsVerificationResumed: "a verification that had been interrupted was completed"
        case .smsEnqueueFailed: "the notifier has not taken a code; the caller gets an error"
        case .smsSessionUpdateFailed:
            "the end of an attempt could not be stored: the verification belongs to its request until it "
                + "expires"
        case .smsPrefixBlocked: "numbers with a prefix get no codes for some time: see [SMS abuse](sms-abuse.md)"
        case .smsBudgetExhausted: "the budget of a project is used up: see [SMS abuse](sms-abuse.md)"
        case .appVerificationProviderFailed: "the service that verifies applications has failed"
        case .totpClockSkewDetected:
            "the clock went back by more than 90 seconds; codes of authenticator apps are rejected"
        case .totpFactorLocked: "a factor is locked after a hundred wrong codes"
        case .totpSecretsDeleted: "secrets of removed factors were deleted"
        case .passkeyCeremonyRejected: "the response of an authenticator was rejected; `reason` names the step"
        case .passkeyCounterRegressed:
            "a signature counter did not increase: the passkey may have been copied; `accepted` says whether "
                + "the sign-in succeeded"
        case .passkeyMetadataOutdated: "the file of LATCHKEY_PASSKEY_MDS_FILE should be downloaded again"
        case .passkeyCredentialsDeleted: "public keys of removed passkeys were deleted"
        case .providerResponseRejected: "the response of an identity provider was rejected; `reason` says why"
        case .providerRequestFailed: "an identity provider cannot be reached; `host` names it"
        case .providerRequestRefused: "an identity provider has answered with an error; `host` names it"
        case .providerRequestSkipped:
            "an identity provider is not called after several failures, or has too many running requests"
        case .providerCertificateRejected: "the certificate of Game Center is refused; `reason` names the check"
        case .providerIssuerUnresolved:
            "the discovery document of an OpenID provider that was configured cannot be read; users cannot "
                + "sign in before it can"
        case .federationProvidersDeleted: "providers of deleted tenants were deleted"
        }
    }

    /// The levels at which it is logged.
    package var levels: [Log.Level] {
        switch self {
        case .processStarted, .processStopRequested, .processStopped, .meshStarting, .meshReady, .seedImported,
            .usersExported, .brokerListening, .brokerMemberJoined, .busConnected, .busPeersChanged, .httpListening,
            .httpDraining,
            .limitExceeded, .pageRefused, .databaseMigrated, .clockUnconfirmed, .clockTrusted, .auditAnchored,
            .masterKeyReloaded, .masterKeyComplete, .sealedRecordsResealed, .blockingFunctionRefused,
            .deliverySent, .deliveryTransportRecovered, .deliveryReceiverAvailable, .deliveryLeasesReleased,
            .webhookEndpointRecovered, .smsCodeSent, .smsCodeVerified, .smsVerificationResumed,
            .totpFactorLocked, .totpSecretsDeleted, .passkeyCeremonyRejected, .passkeyCredentialsDeleted,
            .providerResponseRejected, .federationProvidersDeleted:
            [.info]
        case .processExited, .processKilled, .processOutput, .processStartDelayed, .processStartEnded,
            .activityDropped, .processClosingTimedOut, .meshDescriptionFailed, .settingIsExample, .seedUserRefused,
            .logLinesDropped, .metricsSeriesDropped, .brokerMessageMalformed, .busBrokerLost, .busHostUnknown,
            .busMessageMalformed, .databaseReplaced, .storeRecovered, .clockDoubted, .signingKeyMisdated,
            .signingKeyUsedEarly, .masterKeyCreated, .masterKeyAnnounced, .mailNotAccepted,
            .emailTemplateInvalid, .deliveryFailed, .deliveryTransportFailed, .deliveryReceiverUnavailable,
            .webhookEndpointFailed, .webhookEndpointGone, .webhookDeliveryFailed, .smsChannelDisabled,
            .smsPrefixBlocked, .smsBudgetExhausted, .passkeyCounterRegressed, .passkeyMetadataOutdated,
            .providerIssuerUnresolved, .auditDelayed:
            [.warn]
        case .processUnusable, .processFailed, .processComponentFailed, .meshStartDelayed, .usersExportFailed,
            .maintenanceFailed, .activityRefused, .tracesNotExported, .brokerMemberRefused, .brokerRequestBlocked,
            .brokerPeerNotPermitted, .busCallerRefused, .busPeersRefused,
            .brokerRequestQuarantined, .busHandlerFailed, .requestFailed, .databaseConnectFailed,
            .databaseSchemaNewer, .storeLost, .storeStillLost, .masterKeyReloadFailed, .masterKeyMissing,
            .sealedRecordsResealFailed, .sealedRecordsDecryptFailed, .mailRejected, .mailExpired,
            .accountEventNotAccepted, .accountDeletionNotAccepted, .blockingFunctionFailed,
            .deliveryStoreFailed, .deliveryOutcomeLost, .webhookEventsExpired, .webhookEventsDropped,
            .webhookQueuesRestored, .smsEnqueueFailed, .smsSessionUpdateFailed, .appVerificationProviderFailed,
            .totpClockSkewDetected, .providerRequestFailed, .providerRequestRefused, .providerRequestSkipped,
            .providerCertificateRejected:
            [.error]
        case .brokerMemberLeft, .sqliteReported:
            [.info, .warn]
        case .requestCompleted:
            [.debug, .info]
        case .deliveryDeferred:
            [.debug]
        }
    }
}
