import Contracts
import HTTPServer
import Pages
import Vocabulary

/// The webhooks of a project: each with its state, its latest events, and what can be done with it.
extension ConsolePages {
    static let webhookRoutes: [ConsoleRoute] = [
        .get(projectPattern("integrations/webhook"), .project) { visit in try await openWebhook(visit) },
        .get(projectPattern("integrations/add-webhook"), .project, role: .administrator) { visit in
            visit.view.addWebhookPage()
        },
        .post(projectPattern("integrations/add-webhook"), .project, role: .administrator, addWebhook),
        .get(projectPattern("integrations/new-secret"), .project, role: .administrator, fresh: true) { visit in
            visit.view.integrationQuestionPage(
                visit.integrationTexts.rotateSecret, at: visit.integrationPath("new-secret"),
                about: try await webhook(visit).url)
        },
        .post(projectPattern("integrations/new-secret"), .project, role: .administrator, fresh: true, rotateSecret),
        .post(projectPattern("integrations/test-webhook"), .project, role: .administrator) { visit in
            _ = try await visit.call.send(
                Identity.TestWebhook(project: visit.projectOfPath, id: webhookID(visit), client: visit.client))
            return try back(visit)
        },
        .post(projectPattern("integrations/replay"), .project, role: .administrator) { visit in
            _ = try await visit.call.send(
                Notifier.ReplayAccountEvents(
                    project: visit.projectOfPath, id: webhookID(visit),
                    eventIDs: [AccountEventID(visit.form["object"] ?? "")], client: visit.client))
            return try back(visit)
        },
        .post(projectPattern("integrations/switch-webhook"), .project, role: .administrator) { visit in
            let found = try await webhook(visit)
            _ = try await visit.call.send(
                Identity.UpdateWebhook(
                    project: found.project, id: found.id, url: found.url, kinds: found.kinds,
                    isDisabled: visit.form["state"] == "off", client: visit.client))
            return try back(visit)
        },
    ]

    private static let deliveriesPerPage = 50

    private static func webhookID(_ visit: ConsoleVisit) throws(ConsoleRefusal) -> WebhookID {
        WebhookID(try visit.objectID)
    }

    private static func webhook(_ visit: ConsoleVisit) async throws -> Identity.Webhook {
        try await visit.call.send(Identity.ReadWebhook(project: visit.projectOfPath, id: webhookID(visit)))
    }

    private static func back(_ visit: ConsoleVisit) throws -> HTTPResponse {
        visit.redirect(to: visit.integrationPath("webhook"), [("id", try visit.objectID)], .done)
    }

    private static func openWebhook(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let found = try await webhook(visit)
        do {
            return visit.view.webhookPage(
                found,
                try await visit.call.send(
                    Notifier.ReadWebhookStatus(project: found.project, id: found.id, limit: deliveriesPerPage)))
        } catch let error as ServiceError where error.code == .webhookNotFound {
            // The notifier has not got it yet.
            return visit.view.webhookPage(found, nil)
        }
    }

    private static func addWebhook(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let names = visit.lines(of: "kinds")
        let kinds = names.compactMap(AccountEvent.Kind.init)
        guard kinds.count == names.count else {
            let unknown = names.first { AccountEvent.Kind(rawValue: $0) == nil } ?? ""
            return visit.view.addWebhookPage(refusal: visit.texts.badLine(unknown))
        }
        do {
            let created = try await visit.call.send(
                Identity.CreateWebhook(
                    project: visit.projectOfPath, url: visit.form["url"] ?? "", kinds: kinds, client: visit.client))
            return visit.view.secretPage(visit.integrationTexts.addWebhook, created.webhook.url, created.secret)
        } catch let error as ServiceError where error.code == .invalidWebhook {
            return visit.view.addWebhookPage(refusal: visit.sentence(for: error))
        }
    }

    private static func rotateSecret(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let rotated = try await visit.call.send(
            Identity.RotateWebhookSecret(
                project: visit.projectOfPath, id: webhookID(visit), client: visit.client))
        return visit.view.secretPage(
            visit.integrationTexts.rotateSecret.title, rotated.webhook.url, rotated.secret)
    }
}

// MARK: - HTML

extension ConsoleView {
    fileprivate func addWebhookPage(refusal: String? = nil) -> HTTPResponse {
        let words = integrationTexts
        return integrationForm(
            words.addWebhook, "add-webhook", button: words.addWebhook, refusal: refusal,
            """
            <p>\(words.webhooksBody)</p>
            \(field("url", words.webhookURL))
            \(lineField("kinds", words.eventTypes, hint: words.eventTypesHint))
            """)
    }

    /// - Parameter status: nil before the notifier has got the webhook.
    fileprivate func webhookPage(
        _ webhook: Identity.Webhook, _ status: Notifier.ReadWebhookStatus.Reply?
    ) -> HTTPResponse {
        let words = integrationTexts
        return respondIntegration(
            words.webhooks,
            """
            \(HTML.value(webhook.url))
            \(facts([
                fact(words.state, state(of: webhook, status)), fact(words.eventTypes, kinds(of: webhook)),
                fact(texts.created, time(webhook.createdAt)),
                status.map { fact(words.waiting, "\(String($0.pendingEvents))") },
                status.flatMap { $0.droppedEvents > 0 ? fact(words.dropped, "\(String($0.droppedEvents))") : nil },
                status?.problem.map { fact(words.problem, text($0)) },
            ]))
            \(visit.role >= .administrator ? acts(on: webhook) : "")
            <h2>\(words.deliveries)</h2>
            \(deliveries(status?.deliveries ?? [], of: webhook))
            """)
    }

    private func state(of webhook: Identity.Webhook, _ status: Notifier.ReadWebhookStatus.Reply?) -> HTML {
        let words = integrationTexts
        if webhook.isDisabled { return .badge(texts.disabled, .warn) }
        if status?.goneAt != nil { return .badge(words.gone, .bad) }
        return status?.failingSince == nil ? .badge(words.working, .good) : .badge(words.failing, .bad)
    }

    private func acts(on webhook: Identity.Webhook) -> HTML {
        let words = integrationTexts
        let id = webhook.id.rawValue
        func act(_ page: String, _ label: String, _ items: [(name: String, value: String?)] = []) -> HTML {
            form(visit.integrationPath(page), [("id", id)] + items, .button(label, .plain))
        }
        let address = ConsoleVisit.address(visit.integrationPath("new-secret"), [("id", id)])
        return """
            \(act("test-webhook", words.sendTest))
            \(act(
                "switch-webhook", webhook.isDisabled ? words.turnOn : words.turnOff,
                [("state", webhook.isDisabled ? "on" : "off")]))
            <p>\(HTML.buttonLink(to: address, words.rotateSecret.title, .plain)) \(removal(.webhook, id))</p>
            """
    }

    private func deliveries(_ deliveries: [Notifier.WebhookDelivery], of webhook: Identity.Webhook) -> HTML {
        let words = integrationTexts
        guard !deliveries.isEmpty else { return "<p>\(words.noDeliveries)</p>" }
        return table(
            words.deliveries,
            [texts.time, texts.action, words.state, words.attempts, words.problem, words.replay],
            deliveries.map { delivery in
                let button: HTML =
                    delivery.state == .pending || visit.role < .administrator
                    ? "–"
                    : form(
                        visit.integrationPath("replay"),
                        [("id", webhook.id.rawValue), ("object", delivery.eventID.rawValue)],
                        .button(words.replay, .quiet))
                return [
                    time(delivery.occurredAt), text(delivery.kind.rawValue), badge(of: delivery.state),
                    "\(String(delivery.attempts))", text(delivery.problem), button,
                ]
            })
    }

    private func badge(of state: Notifier.WebhookDelivery.State) -> HTML {
        switch state {
        case .pending: .badge(integrationTexts.pending)
        case .delivered: .badge(integrationTexts.delivered, .good)
        case .failed: .badge(integrationTexts.failed, .bad)
        }
    }
}
