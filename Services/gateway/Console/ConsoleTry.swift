import Contracts
import HTTPServer
import Pages
import Vocabulary

/// What an application needs to use the project: the same program text for each client, with the values of this installation.
extension ConsolePages {
    static let tryRoutes: [ConsoleRoute] = [
        .get(projectPattern("try"), .project) { visit in
            guard let project = visit.project else { throw ConsoleRefusal.notFound }
            let reply = try await visit.call.send(Identity.ReadConfiguration(project: project))
            return visit.view.tryPage(
                ClientSnippets(
                    project: project, apiKey: reply.configuration.client?.apiKey ?? "",
                    publicURL: visit.call.settings.publicURL, adminURL: visit.adminURL, isDev: visit.call.settings.isDev
                ))
        }
    ]
}

extension ConsoleVisit {
    /// As the settings name it, or as this browser reaches it.
    fileprivate var adminURL: String { call.settings.adminURL ?? "http://\(call.request.headers["host"] ?? "")" }
}

/// A program text for each client.
struct ClientSnippets: Sendable {
    var project: ProjectID
    var apiKey: String
    var publicURL: String
    var adminURL: String
    /// Libraries speak plain HTTP to this machine, and administrators have a fixed token.
    var isDev: Bool

    enum Client: String, CaseIterable, Sendable {
        case javaScript, swift, android, python, node, curl

        var name: String {
            switch self {
            case .javaScript: "JavaScript"
            case .swift: "Swift"
            case .android: "Android (Kotlin)"
            case .python: "Python"
            case .node: "Node.js"
            case .curl: "curl"
            }
        }
    }

    /// The page where a user signs in.
    var signInURL: String { HostedVisit.address("\(publicURL)/__/auth/login", [("apiKey", apiKey)]) }

    private var host: String { WebURL("\(publicURL)/").map { String($0.authority) } ?? publicURL }

    func text(for client: Client) -> String {
        switch client {
        case .javaScript:
            """
            import { initializeApp } from "firebase/app";
            import { connectAuthEmulator, createUserWithEmailAndPassword, getAuth } from "firebase/auth";

            const auth = getAuth(initializeApp({ apiKey: "\(apiKey)", authDomain: "\(host)", projectId: "\(project.rawValue)" }));
            connectAuthEmulator(auth, "\(publicURL)", { disableWarnings: true });
            const { user } = await createUserWithEmailAndPassword(auth, "ada@example.com", "correct-horse-9-staple");
            """
        case .swift:
            """
            import LatchkeyAuth

            LatchkeyApp.configure(LatchkeyOptions(
                apiKey: "\(apiKey)", projectID: "\(project.rawValue)", serverURL: URL(string: "\(publicURL)")))
            let result = try await Auth.auth().createUser(withEmail: "ada@example.com", password: "correct-horse-9-staple")
            """
        case .android:
            """
            // Development only: the library speaks plain HTTP to the emulator's host.
            // latchkey client-config android writes google-services.json for the project \(project.rawValue).
            Firebase.auth.useEmulator("10.0.2.2", \(port))
            Firebase.auth.createUserWithEmailAndPassword("ada@example.com", "correct-horse-9-staple")
            """
        case .python: isDev ? developmentPython : productionPython
        case .node: isDev ? developmentNode : productionNode
        case .curl:
            """
            curl -s '\(publicURL)/identitytoolkit.googleapis.com/v1/accounts:signUp?key=\(apiKey)' \\
                -H 'Content-Type: application/json' \\
                -d '{"email":"ada@example.com","password":"correct-horse-9-staple","returnSecureToken":true}'
            """
        }
    }

    private var port: String { host.halves(at: ":").behind.map { String($0) } ?? "443" }

    private var developmentPython: String {
        """
        # FIREBASE_AUTH_EMULATOR_HOST=\(host) python3 example.py
        import firebase_admin
        from firebase_admin import auth

        firebase_admin.initialize_app(options={"projectId": "\(project.rawValue)"})
        user = auth.create_user(email="ada@example.com", password="correct-horse-9-staple")
        """
    }

    private var productionPython: String {
        """
        # The key: latchkey service-account create --project \(project.rawValue) -o key.json
        # The names of the API lead to \(adminURL): docs/move-in/backends.md
        import firebase_admin
        from firebase_admin import auth, credentials

        firebase_admin.initialize_app(credentials.Certificate("key.json"))
        user = auth.create_user(email="ada@example.com", password="correct-horse-9-staple")
        """
    }

    private var developmentNode: String {
        """
        // FIREBASE_AUTH_EMULATOR_HOST=\(host) node example.mjs
        import { initializeApp } from "firebase-admin/app";
        import { getAuth } from "firebase-admin/auth";

        initializeApp({ projectId: "\(project.rawValue)" });
        const user = await getAuth().createUser({ email: "ada@example.com", password: "correct-horse-9-staple" });
        """
    }

    private var productionNode: String {
        """
        // The key: latchkey service-account create --project \(project.rawValue) -o key.json
        // The names of the API lead to \(adminURL): docs/move-in/backends.md
        import { cert, initializeApp } from "firebase-admin/app";
        import { getAuth } from "firebase-admin/auth";

        initializeApp({ credential: cert("key.json") });
        const user = await getAuth().createUser({ email: "ada@example.com", password: "correct-horse-9-staple" });
        """
    }
}

// MARK: - HTML

extension ConsoleView {
    private var tryTexts: PageTexts.ConsoleTry { visit.language.consoleTryTexts }

    fileprivate func tryPage(_ snippets: ClientSnippets) -> HTTPResponse {
        let texts = ClientSnippets.Client.allCases.map { client -> HTML in
            "<h2>\(client.name)</h2><pre dir=\"ltr\">\(snippets.text(for: client))</pre>"
        }
        return respond(
            tryTexts.title, at: path("try"),
            """
            <p>\(tryTexts.signInBody)</p>
            <p><a class="button primary" href="\(snippets.signInURL)" target="_blank" rel="noopener noreferrer">\(tryTexts.signIn)</a></p>
            <p>\(tryTexts.snippets)</p>
            \(texts)
            """)
    }
}
