import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// Every route of the console with every role, in the own project and another one, and without a session.
@Suite struct ConsoleMatrixTests {
    private static let shop = ProjectID("shop")

    /// What a role in a project, or in the installation, permits.
    private static func permits(
        _ route: ConsoleRoute, _ role: Identity.OperatorRole, _ scope: ProjectID?, in project: String
    ) -> Bool {
        guard role >= route.role else { return false }
        return switch route.scope {
        case .anyProject: true
        case .installation: scope == nil
        case .project: scope == nil || scope?.rawValue == project
        }
    }

    private static func isForbidden(_ response: TestResponse) -> Bool { response.status == 403 }

    @Test(arguments: Identity.OperatorRole.allCases, [shop, nil] as [ProjectID?])
    func roleOpensItsRoutesAndNoOther(role: Identity.OperatorRole, scope: ProjectID?) async throws {
        for route in ConsolePages.all {
            for project in ["shop", "other"] {
                let browser = try ConsoleBrowser([.init(project: scope, role: role)])
                let response = try await browser.send(route, in: project)
                let isPermitted = Self.permits(route, role, scope, in: project)
                let sent = browser.harness.mesh.sent.filter { !($0 is Identity.ResolveOperatorSession) }
                #expect(
                    Self.isForbidden(response) == !isPermitted,
                    "\(route.method.name) \(route.path) in \(project): \(response.status)")
                let isOfWork = ConsoleFormTests.ofWork.contains(ConsoleBrowser.name(of: route))
                if isPermitted {
                    #expect(response.status < 400 || isOfWork && response.status == 404, "\(route.path)")
                } else {
                    #expect(sent.isEmpty, "\(route.path)")
                }
            }
        }
    }

    /// A route for operators that is not in the list would be in no test. The pages of the sign-in have tests of their own.
    @Test func matrixHasEveryRoute() {
        func names(_ routes: [Route]) -> Set<String> {
            Set(routes.flatMap { route in route.paths.map { "\(route.method.name) \($0.pattern.text)" } })
        }
        let all = RouteTable.routes.filter { route in
            route.access == .console || route.paths.contains { $0.pattern.text.hasPrefix(ConsolePages.path) }
        }
        let (matrix, signIn) = (
            names(ConsolePages.routes), names(ConsoleSignIn.routes.filter { $0.access == .console })
        )
        #expect(names(all) == matrix.union(signIn) && matrix.isDisjoint(with: signIn))
        #expect(all.allSatisfy { $0.access == .console })
        #expect(
            signIn.allSatisfy { $0.contains(" \(ConsoleSignIn.path)") || $0.hasSuffix(" \(ConsoleSignIn.welcomePath)") }
        )
    }

    /// A page without a session leads to the sign-in, and a form does nothing.
    @Test(arguments: [nil, "ended"] as [String?]) func noSessionOpensNothing(token: String?) async throws {
        for route in ConsolePages.all {
            let browser = try ConsoleBrowser([.init(role: .administrator)])
            browser.token = token
            let response = try await browser.send(route)
            #expect(response.status == 303, "\(route.path)")
            #expect(response.header("Location")?.hasPrefix("/console/sign-in?to=%2Fconsole") == true, "\(route.path)")
        }
    }

    /// Security rules HT6 and HT7.
    @Test func formsOfOtherSitesAndSessionsAreRefused() async throws {
        for route in ConsolePages.all where route.method == .post {
            let browser = try ConsoleBrowser([.init(role: .administrator)])
            let path = ConsoleBrowser.path(route)
            let own = "http://\(ConsoleBrowser.host)"
            for (site, origin) in [
                ("cross-site", nil), ("same-site", nil), ("none", own), (nil, "https://evil.example"), (nil, nil),
                (nil, "null"), ("same-origin", "https://evil.example"),
            ] as [(String?, String?)] {
                let response = try await browser.post(path, site: site, origin: origin)
                #expect(Self.isForbidden(response), "\(path) \(site ?? "-") \(origin ?? "-")")
            }
            #expect(Self.isForbidden(try await browser.post(path, token: "other")), "\(path)")
            #expect(Self.isForbidden(try await browser.post(path, token: nil)), "\(path)")
        }
    }

    @Test func browsersWithoutFetchMetadataNameTheirOrigin() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let response = try await browser.post(
            "/console/sessions", ["session": "s2"], site: nil, origin: "http://\(ConsoleBrowser.host)")
        #expect(response.status == 303)
    }

    @Test func whatCannotBeUndoneAsksForBothFactorsAgain() async throws {
        var found = 0
        for route in ConsolePages.all {
            let browser = try ConsoleBrowser([.init(role: .administrator)], isFresh: false)
            let response = try await browser.send(route)
            let isAsked = response.status == 303 && response.header("Location")?.hasPrefix("/console/sign-in") == true
            #expect(isAsked == (route.needsFreshSession || route.path == ConsolePages.signOutPath), "\(route.path)")
            found += route.needsFreshSession ? 1 : 0
        }
        #expect(found >= 10)
    }

    @Test func formThatNeedsBothFactorsAgainLeadsBackToItsPage() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)], isFresh: false)
        let response = try await browser.post(
            "/console/projects/shop/user/remove-factor", ["id": "a b", "object": "f1", "other": "x"])
        let page = PercentEncoding.encoded("/console/projects/shop/user/remove-factor?id=a%20b&object=f1")
        #expect(response.header("Location") == "/console/sign-in?to=\(page)")
    }

    /// What was searched, or written into a form, can be longer than a header field.
    @Test func longAddressLeadsToTheSignInOfItsPath() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)], isFresh: false)
        let long = String(repeating: "%20", count: 2500)
        let form = try await browser.post(
            "/console/projects/shop/user/remove-factor", ["id": String(repeating: "<", count: 9000)])
        let page = PercentEncoding.encoded("/console/projects/shop/user/remove-factor")
        #expect(form.header("Location") == "/console/sign-in?to=\(page)")
        browser.token = nil
        let search = try await browser.get("/console/projects/shop/users", "q=\(long)")
        #expect(search.header("Location") == "/console/sign-in?to=%2Fconsole%2Fprojects%2Fshop%2Fusers")
        let path = try await browser.get("/console/projects/\(String(repeating: "p", count: 2000))/users")
        #expect(path.status == 404 || path.header("Location") == "/console/sign-in?to=%2Fconsole")
    }

    /// In production the public listener has no console.
    @Test func onlyTheAdminListenerHasTheConsole() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        browser.harness.mesh.reply(to: Passkey.StartSignIn.self) { _ in throw ServiceError(.passkeysNotEnabled) }
        for path in ["/console", "/console/sign-in", "/console/welcome", "/console/projects/shop/users"] {
            #expect(try await browser.get(path, on: .public).status == 404)
            #expect(try await browser.get(path).status != 404)
        }
    }

    /// The accounts of operators are no project, for any route that takes one: nothing is sent to a service.
    @Test func noRouteOfAProjectReachesTheOperators() async throws {
        let harness = try GatewayHarness()
        func filled(_ piece: Substring) -> String {
            guard piece.utf8.first == UInt8(ascii: "{"), let rest = piece.halves(at: "}").behind else {
                return String(piece)
            }
            return (piece.hasPrefix("{project}") ? "%40operators" : "x1") + String(rest)
        }
        var count = 0
        for route in RouteTable.routes where route.access != .console {
            for path in route.paths where path.pattern.parameters.contains(.project) {
                let text = path.pattern.text.pieces(at: "/").map(filled).joined(separator: "/")
                let response = try await harness.send(
                    route.method, text, query: "key=k", headers: ["Authorization": "Bearer owner"],
                    body: route.method == .get ? nil : "{}")
                #expect((400..<500).contains(response.status), "\(route.method.name) \(text): \(response.status)")
                count += 1
            }
        }
        #expect(count > 50)
    }

    /// No page contains a value of a user as markup.
    @Test func valuesOfUsersAreText() async throws {
        for route in ConsolePages.all where route.method == .get {
            let browser = try ConsoleBrowser([.init(role: .administrator)])
            let fields = ["id": "ada", "tenant": "t"].merging(
                ["q", "object", "actor", "action", "email", "provider", "since", "scope"].map {
                    ($0, "\"><script>")
                }
            ) { $1 }.merging(ConsoleBrowser.particularFields[ConsoleBrowser.name(of: route)] ?? [:]) { $1 }
            let response = try await browser.get(ConsoleBrowser.path(route), ConsoleBrowser.query(fields))
            // A file that is saved, and no page.
            let isFile = response.header("Content-Disposition")?.hasPrefix("attachment") == true
            for marker in isFile ? [] : ["<script>", "<img", "<svg onload", "<i>act"] {
                #expect(!response.text.contains(marker), "\(route.path) \(marker)")
            }
            if response.header("Content-Type")?.hasPrefix("text/html") == true {
                let policy = try #require(response.header("Content-Security-Policy"))
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                // Without a source of its own, a script has that of `default-src`.
                #expect(policy.contains("script-src 'self';") || !policy.contains("script-src"), "\(route.path)")
                #expect(policy.contains("form-action 'self'") || policy.contains("form-action 'none'"))
            }
        }
    }
}
