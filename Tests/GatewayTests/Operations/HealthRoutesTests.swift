import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import GatewayService

@Suite struct HealthRoutesTests {
    @Test func livenessNeedsNoServices() async throws {
        let harness = try GatewayHarness()
        #expect(try await harness.send(.get, "/livez").json == json(#"{"live":true}"#))
        #expect(harness.mesh.count == 0)
    }

    @Test(arguments: [WireError.Code.unavailable, .deadlineExceeded, .overloaded, .internal])
    func readinessNamesMissingService(code: WireError.Code) async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in throw ServiceError(code) }
        let response = try await harness.send(.get, "/readyz")
        #expect(response.status == 503)
        #expect(response.json == (try json(#"{"ready":false,"missing":["identity"]}"#)))
        #expect(try await harness.send(.get, "/").json["ready"] == .bool(false))
    }

    /// A load balancer reads it, and sends new requests elsewhere; those that arrive are served.
    @Test func readinessEndsBeforeTheListenersClose() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        harness.gateway.beginDraining()
        let response = try await harness.send(.get, "/readyz")
        #expect(response.status == 503)
        #expect(try response.json == json(#"{"ready":false,"missing":["gateway"],"draining":true}"#))
        #expect(try await harness.send(.get, "/livez").status == 200)
    }

    /// A mail server outage does not make the mesh unready, but the response reports it.
    @Test func readinessReportsFailedComponents() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        let outage = ProcessReport.Metric(
            name: ProcessReport.Metric.outageName, kind: .gauge,
            labels: ["component": "email", "reason": "authentication 535"], value: 12.5)
        harness.gateway.record(.init(service: .notifier, instance: "notifier.1", metrics: [outage]))
        let response = try await harness.send(.get, "/readyz")
        #expect(response.status == 200)
        #expect(
            try response.json
                == json(
                    #"{"ready":true,"details":[{"process":"notifier.1","part":"email","problem":"authentication 535","seconds":12}]}"#
                ))
        harness.gateway.record(.init(service: .notifier, instance: "notifier.1", metrics: []))
        #expect(try await harness.send(.get, "/readyz").json == json(#"{"ready":true}"#))
    }

    private func storeOutage(
        _ instance: String, _ service: ServiceName = .identity, seconds: Double?
    ) -> ProcessReport {
        let outage = ProcessReport.Metric(
            name: ProcessReport.Metric.outageName, kind: .gauge,
            labels: ["component": ProcessReport.Metric.storePart("database"), "reason": "unavailable"],
            value: seconds ?? 0)
        return ProcessReport(service: service, instance: instance, metrics: seconds == nil ? [] : [outage])
    }

    /// Identity replies from memory with its signing keys although its store is unavailable.
    @Test func readinessRequiresStoreOfIdentity() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        harness.gateway.record(storeOutage("identity.1", seconds: 4))
        let response = try await harness.send(.get, "/readyz")
        #expect(response.status == 503)
        #expect(
            try response.json
                == json(
                    #"{"ready":false,"missing":["identity"],"details":[{"process":"identity.1","part":"store database","problem":"unavailable","seconds":4}]}"#
                ))
        // Another identity process has a working store.
        harness.gateway.record(storeOutage("identity.2", seconds: nil))
        #expect(try await harness.send(.get, "/readyz").status == 200)
        harness.gateway.record(storeOutage("identity.2", seconds: 1))
        #expect(try await harness.send(.get, "/readyz").status == 503)
        harness.gateway.record(storeOutage("identity.1", seconds: nil))
        harness.gateway.record(storeOutage("identity.2", seconds: nil))
        #expect(try await harness.send(.get, "/readyz").json == json(#"{"ready":true}"#))
    }

    /// Sign-ins do not need that service.
    @Test func storeOutageOfOtherServiceIsReported() async throws {
        let harness = try GatewayHarness.production()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        harness.gateway.record(storeOutage("notifier.1", .notifier, seconds: 4))
        let response = try await harness.send(.get, "/readyz")
        #expect(response.status == 200)
        #expect(
            try response.json
                == json(
                    #"{"ready":true,"details":[{"process":"notifier.1","part":"store database","problem":"unavailable","seconds":4}]}"#
                ))
    }

    @Test func gatewayIsReadyWhenIdentityReplies() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in .init(keys: [], maximumAgeSeconds: 60) }
        let response = try await harness.send(.get, "/readyz")
        #expect((response.status, response.json) == (200, try json(#"{"ready":true}"#)))
        #expect(
            try await harness.send(.get, "/").json
                == json(
                    #"{"authEmulator":{"ready":true,"docs":"https://firebase.google.com/docs/emulator-suite","apiSpec":"/emulator/openapi.json"}}"#
                ))
    }

    /// Only dev mode answers as the Firebase emulator, which test tools wait for.
    @Test func rootOfProductionNamesNoEmulator() async throws {
        for isReady in [true, false] {
            let harness = try GatewayHarness.production()
            harness.mesh.reply(to: Identity.ListSigningKeys.self) { _ in
                guard isReady else { throw ServiceError(.unavailable) }
                return .init(keys: [], maximumAgeSeconds: 60)
            }
            let response = try await harness.send(.get, "/")
            #expect(response.status == 200)
            #expect(try response.json == json(#"{"ready":\#(isReady)}"#))
        }
    }

    @Test func openAPIDocumentListsRoutes() async throws {
        let paths = try await GatewayHarness().send(.get, "/emulator/openapi.json").json["paths"]
        let signUp = paths?["/identitytoolkit.googleapis.com/v1/accounts:signUp"]?["post"]
        #expect(signUp?["responses"]?["200"] != nil)
        let passkey = paths?["/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:start"]?["post"]
        #expect(passkey?["responses"]?["200"] != nil && passkey?["responses"]?["400"] == nil)
        let unimplemented = paths?["/identitytoolkit.googleapis.com/v1/accounts:issueSamlResponse"]?["post"]
        #expect(unimplemented?["responses"]?["400"] != nil)
    }

    @Test func metricsOfProcessesAreExported() async throws {
        let harness = try GatewayHarness()
        harness.gateway.record(
            .init(service: .identity, instance: "identity.1", metrics: [.init(name: "x", kind: .gauge, value: 7)]))
        let response = try await harness.send(.get, "/metrics")
        #expect(
            response.text == """
                # HELP x A measurement of a process that this version of the gateway does not know.
                # TYPE x gauge
                x{process="identity.1",service="identity"} 7

                """)
        #expect(response.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        harness.clock.advance(by: .seconds(31))
        #expect(try await harness.send(.get, "/metrics").text.isEmpty)
    }
}

@Suite struct MetricsAggregatorTests {
    private let now = ContinuousClock().now

    private func report(_ instance: String, _ metrics: ProcessReport.Metric...) -> ProcessReport {
        .init(service: .identity, instance: instance, metrics: metrics)
    }

    @Test func metricsAreGroupedByName() {
        let board = MetricsAggregator()
        board.record(
            report(
                "b", .init(name: "up", kind: .gauge, value: 1), .init(name: "calls_total", kind: .counter, value: 2.5)),
            at: now)
        board.record(
            report("a", .init(name: "up", kind: .gauge, labels: ["z": "1", "k": "\"\\\n"], value: 3)), at: now)
        #expect(
            board.text(at: now) == #"""
                # HELP calls_total A measurement of a process that this version of the gateway does not know.
                # TYPE calls_total counter
                calls_total{process="b",service="identity"} 2.5
                # HELP up A measurement of a process that this version of the gateway does not know.
                # TYPE up gauge
                up{process="a",service="identity",k="\"\\\n",z="1"} 3
                up{process="b",service="identity"} 1

                """#)
    }

    /// One sample is one line, and its label one text, whatever the label is.
    @Test(arguments: [
        "a\r\nforged 1", "a\"\u{301}} 1", "a\\\u{301}", "a\n\u{301}forged 1", "\u{200d}\"", "a\r\n\r\n",
        "\"\u{fe0f}\"\u{20e3}",
    ]) func labelEndsNeitherItsTextNorItsLine(label: String) throws {
        let board = MetricsAggregator()
        board.record(report("a", .init(name: "up", kind: .gauge, labels: ["k": label], value: 3)), at: now)
        let bytes = Array(board.text(at: now).utf8)
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 3)
        let sample = String(decoding: try #require(lines.last), as: UTF8.self).unicodeScalars
        var quotes = 0
        var isEscaped = false
        for scalar in sample {
            if scalar == "\"", !isEscaped { quotes += 1 }
            isEscaped = scalar == "\\" && !isEscaped
        }
        #expect(quotes == 6 && sample.suffix(4).elementsEqual("\"} 3".unicodeScalars))
    }

    @Test func histogramsAreTypedAsHistograms() {
        let board = MetricsAggregator()
        board.record(
            report(
                "a", .init(name: "s_bucket", kind: .counter, labels: ["le": "0.1"], value: 1),
                .init(name: "s_bucket", kind: .counter, labels: ["le": "+Inf"], value: 2),
                .init(name: "s_sum", kind: .counter, value: 0.3), .init(name: "s_count", kind: .counter, value: 2),
                .init(name: "other_sum", kind: .counter, value: 1)), at: now)
        let lines = board.text(at: now).split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
        #expect(lines == ["# TYPE other_sum counter", "# TYPE s histogram"])
    }

    @Test func latestReportIsKeptUntilProcessIsSilent() {
        let board = MetricsAggregator()
        board.record(report("a", .init(name: "x", kind: .gauge, value: 1)), at: now)
        board.record(report("a", .init(name: "x", kind: .gauge, value: 2)), at: now + .seconds(2))
        #expect(board.text(at: now + .seconds(32)).hasSuffix(" 2\n"))
        #expect(board.text(at: now + .seconds(33)).isEmpty)
    }

    @Test func processCountIsBounded() {
        let board = MetricsAggregator()
        for number in 0..<300 {
            board.record(report("p\(number)", .init(name: "x", kind: .gauge, value: 1)), at: now)
        }
        #expect(board.text(at: now).split(separator: "\n").count == 2 + MetricsAggregator.maximumProcesses)
    }
}
