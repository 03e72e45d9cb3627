import Foundation
import LatchkeyAuth

/// The delegate of an application.
@MainActor
final class ApplicationDelegate: NSObject {
    // Snippet: configure at the start
    func applicationDidFinishLaunching() -> Bool {
        LatchkeyApp.configure()
        return true
    }

    // Snippet: a second project
    func configureSecondProject() {
        guard let file = Bundle.main.url(forResource: "Second", withExtension: "plist"),
            let options = try? LatchkeyOptions(contentsOf: file)
        else { return }
        LatchkeyApp.configure(name: "second", options: options)
        guard let second = LatchkeyApp.app(name: "second") else { return }
        let auth = Auth.auth(app: second)
        print(auth.app?.name ?? "", auth.app?.options.apiKey ?? "", LatchkeyApp.app()?.options.clientID ?? "")
    }

    // Snippet: the emulator
    func useEmulator() {
        Auth.auth().useEmulator(withHost: "127.0.0.1", port: 9099)
    }

    // Snippet: URLs and notifications without swizzling
    func open(_ url: URL) -> Bool {
        if Auth.auth().canHandle(url) { return true }
        return false
    }

    func didRegister(deviceToken: Data) {
        Auth.auth().setAPNSToken(deviceToken, type: .prod)
        Auth.auth().setAPNSToken(deviceToken, type: AuthAPNSTokenType.unknown)
        Auth.auth().apnsToken = deviceToken
    }

    func didReceive(_ notification: [AnyHashable: Any], fetchCompletionHandler: () -> Void) {
        if Auth.auth().canHandleNotification(notification) {
            fetchCompletionHandler()
            return
        }
    }
}

/// A view controller that follows the sign-in.
@MainActor
final class FollowingController: NSObject {
    let screen = Screen()
    var handle: AuthStateDidChangeListenerHandle?
    var tokenHandle: IDTokenDidChangeListenerHandle?
    var observer: NSObjectProtocol?

    // Snippet: listen while the view is there
    func viewWillAppear(_ animated: Bool) {
        handle = Auth.auth().addStateDidChangeListener { auth, user in
            self.screen.setTitleDisplay(user?.displayName)
            print(auth.currentUser?.uid ?? "")
        }
    }

    func viewWillDisappear(_ animated: Bool) {
        Auth.auth().removeStateDidChangeListener(handle!)
    }

    // Snippet: listen to tokens
    func startTokens() {
        tokenHandle = Auth.auth().addIDTokenDidChangeListener { [weak self] _, user in
            guard let self else { return }
            self.screen.setTitleDisplay(user?.uid)
        }
    }

    func stopTokens() {
        if let handle = tokenHandle { Auth.auth().removeIDTokenDidChangeListener(handle) }
    }

    // Snippet: a handle kept as an object
    func startWithObject() {
        observer = Auth.auth().addStateDidChangeListener { _, _ in }
        if let observer { Auth.auth().removeStateDidChangeListener(observer) }
    }

    // Snippet: the notification
    func observe() {
        observer = NotificationCenter.default.addObserver(
            forName: .AuthStateDidChange, object: nil, queue: .main
        ) { notification in
            print((notification.object as? Auth)?.currentUser?.uid ?? "nobody")
        }
    }

    deinit {
        if let handle { Auth.auth().removeStateDidChangeListener(handle) }
    }
}

/// A model that is not bound to an actor, as many applications have one.
final class SessionModel {
    var isSignedIn = false

    // Snippet: the user as a stream
    func follow() async {
        for await user in Auth.auth().authStateChanges { isSignedIn = user != nil }
    }

    // Snippet: callbacks beside a type without an actor
    func signIn(email: String, password: String, completion: @escaping @Sendable (Bool) -> Void) {
        Auth.auth().signIn(withEmail: email, password: password) { result, error in
            completion(result != nil && error == nil)
        }
    }
}

/// A model of an application in Swift 5: without an actor, and with callbacks of its own.
final class CallbackModel {
    var user: User?
    private var handle: AuthStateDidChangeListenerHandle?

    // Snippet: listen without an actor
    func listen() {
        handle = Auth.auth().addStateDidChangeListener { _, user in self.user = user }
    }

    // Snippet: pass the result to a callback of the application
    func signIn(email: String, password: String, completion: @escaping (Error?) -> Void) {
        Auth.auth().signIn(withEmail: email, password: password) { result, error in
            if let error {
                completion(error)
                return
            }
            self.user = result?.user
            completion(nil)
        }
    }

    // Snippet: pass a token to another queue
    func token(_ completion: @escaping (String) -> Void) {
        Auth.auth().currentUser?.getIDTokenForcingRefresh(true) { token, _ in
            DispatchQueue.main.async { completion(token ?? "") }
        }
    }
}
