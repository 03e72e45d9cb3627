import Contracts
import Pages
import Vocabulary
import WebAuthn

extension AccountView {
    /// - Parameter recoveryCodes: the number of unused ones; nil for an account without a second factor.
    func securityPage(recoveryCodes: Int?, offersPasskeys: Bool) -> Page {
        var page = page(
            texts.security, at: AccountPages.securityPath,
            """
            \(signals)
            \(offersPasskeys || !account.passkeys.isEmpty ? passkeys(canAdd: offersPasskeys) : nil)
            \(secondStep(recoveryCodes: recoveryCodes))
            \(visit.visit.configuration.allowsPasswordSignIn || account.hasPassword ? password : nil)
            """)
        if signals != nil { page.script = ScriptFile.accountSignals.onPage() }
        page.script?.submitsForm = true
        return page
    }

    /// What the script of the page tells the password manager; nil without passkeys.
    private var signals: HTML? {
        PasskeySignals(account).map { signals in
            #"<div id="passkeySignals" hidden="hidden" data-signals="\#(EmbeddedJSON.json(signals))"></div>"#
        }
    }

    private func passkeys(canAdd: Bool) -> HTML {
        let rows = account.passkeys.map { passkey -> HTML in
            let id = Base64URL.encode(passkey.credentialID.bytes)
            let details = visit.visit.allTexts.passkeys
            let mark = passkey.isBackedUp ? badge(texts.synced, .good) : badge(details.oneDevice, .neutral)
            let used = " · " + (passkey.lastUsedAt.map { lastUse($0) } ?? details.neverUsed)
            let model = KnownAuthenticators.model(passkey.aaguid)
            // A new passkey has the name of its model, and its user may give it another.
            let other = model.flatMap { passkey.name.hasPrefix($0.name) ? nil : $0.name }
            return .row(
                model?.isSecurityKey == true ? .key : .passkey, "<bdi>\(passkey.name(in: all))</bdi>\(mark)",
                about: """
                    \(other.map { "<bdi>\($0)</bdi> · " as HTML })\(all.accountPasskeys.added(date(passkey.createdAt)))\(used)
                    """,
                actions: [
                    link(to: AccountPages.passkeyNamePath, all.passkeyPage.rename, .quiet, [("id", id)]),
                    removal(.passkey, id, all.passkeyPage.remove),
                ])
        }
        let none: [HTML] = [sentence(all.passkeyPage.noPasskeys)]
        return .panel(
            all.passkeyPage.list,
            action: canAdd ? link(to: AccountPages.passkeyPath, all.passkeyPage.add) : nil, rows.isEmpty ? none : rows)
    }

    private func secondStep(recoveryCodes: Int?) -> HTML? {
        let configuration = visit.visit.configuration
        let (canAddApp, canAddPhone) = (configuration.isEnabled(.totp), configuration.isEnabled(.phone))
        let factors = account.secondFactors
        guard canAddApp || canAddPhone || !factors.isEmpty else { return nil }
        var rows = factors.map { factor -> HTML in
            let id = factor.id.rawValue
            let rename = link(to: AccountPages.factorNamePath, all.passkeyPage.rename, .quiet, [("id", id)])
            let removal = removal(.factor, id, all.passkeyPage.remove)
            return .row(
                factor.kind.method == .totp ? .code : .phone, "<bdi>\(factor.name(in: all))</bdi>",
                about: "\(all.accountPasskeys.added(date(factor.enrolledAt)))", actions: [rename, removal])
        }
        if factors.isEmpty { rows.append(sentence(texts.noSecondStep)) }
        if let recoveryCodes {
            let (hasCodes, areFew) = (recoveryCodes > 0, recoveryCodes < 3)
            let left: HTML? = hasCodes ? badge(texts.codesLeft(recoveryCodes), areFew ? .warn : .neutral) : nil
            rows.append(
                .row(
                    .list, "\(texts.recoveryCodes)\(left)", about: hasCodes ? nil : "\(texts.noCodes)",
                    actions: [link(to: AccountPages.recoveryCodesPath, texts.makeCodes)]))
        }
        let hasApp = factors.contains { $0.kind.method == .totp }
        let add = [
            canAddApp && !hasApp ? link(to: AccountPages.authenticatorPath, texts.addApp) : nil,
            canAddPhone ? link(to: AccountPages.PhoneTask.secondFactor.path, phoneTexts.addMessages) : nil,
        ].compactMap(\.self)
        let state = factors.isEmpty ? badge(texts.off, .warn) : badge(texts.on, .good)
        return .panel(texts.secondStep, action: "<span>\(state)\(add)</span>", rows)
    }

    private var password: HTML {
        let since = account.passwordChangedAt.map { texts.passwordChanged(date($0)) }
        let about = account.hasPassword ? since ?? "" : texts.noPassword
        let removal: [HTML] = account.hasPassword ? [removal(.password, "", texts.removePassword)] : []
        return .panel(
            all.passkeyPage.password,
            action: link(to: AccountPages.passwordPath, account.hasPassword ? texts.change : texts.setPassword),
            [sentence(about, actions: removal)])
    }

    // MARK: Password

    func passwordPage(refusal: String? = nil, unmet: [UnmetPasswordRequirement] = []) -> Page {
        let field = PageField(id: "password", label: all.newPassword, autocomplete: "new-password") { field in
            field.kind = .password
            field.maximumLength = 4096
            field.isRequired = true
            field.hint = "\(texts.endsOtherSessions)"
            field.error = refusal
            field.isInvalid = !unmet.isEmpty
            field.descriptions = unmet.isEmpty ? [] : ["alarm"]
        }
        let username = account.email.map { email -> HTML in
            #"<input name="username" type="text" autocomplete="username" hidden="hidden" value="\#(email.rawValue)" />"#
        }
        var page = task(
            account.hasPassword ? all.changePassword.title : texts.setPassword, of: AccountPages.securityPath,
            refusal: refusal, field: "password",
            """
            \(unmet.isEmpty ? nil : PasswordHints(texts: all).refusal(unmet))
            \(form(AccountPages.passwordPath, "\(username)\(field.html)<p>\(HTML.button(texts.save))</p>"))
            """)
        if !unmet.isEmpty { page.status = 400 }
        return page
    }

    // MARK: Second factors

    func authenticatorPage(_ started: MFATOTP.StartEnrollment.Reply) -> Page {
        task(
            texts.addApp, of: AccountPages.securityPath,
            """
            \(TOTPEnrollmentView(texts: all, account: texts).secret(started))
            \(form(
                AccountPages.authenticatorPath,
                TOTPEnrollmentView(texts: all, account: texts).fields(session: started.sessionInfo.reveal())))
            """)
    }

    /// After a wrong code: the app has the key already.
    func authenticatorPage(session: String, refusal: String) -> Page {
        task(
            texts.addApp, of: AccountPages.securityPath, refusal: refusal, field: "code",
            form(
                AccountPages.authenticatorPath,
                TOTPEnrollmentView(texts: all, account: texts).fields(session: session, refusal: refusal)))
    }

    /// A second factor needs a verified address.
    func unverifiedPage(_ title: String) -> Page {
        task(
            title, of: AccountPages.securityPath,
            """
            <p>\(texts.confirmEmailFirst)</p>
            \(form(AccountPages.verifyEmailPath, .button(texts.sendConfirmation)))
            """)
    }

    func recoveryCodesPage() -> Page {
        task(
            texts.makeCodes, of: AccountPages.securityPath,
            """
            <p id="consequence">\(texts.codesReplace)</p>
            \(form(AccountPages.recoveryCodesPath, .button(texts.makeCodes, describedBy: "consequence")))
            """)
    }

    func newCodesPage(_ codes: [Secret<String>]) -> Page {
        Page(
            language: visit.visit.language, title: texts.recoveryCodes,
            content: """
                \(TOTPEnrollmentView(texts: all, account: texts).recoveryCodes(codes))
                <p>\(link(to: AccountPages.securityPath, texts.codesKept, .primary))</p>
                """, layout: page(texts.security, at: AccountPages.securityPath, "").layout)
    }

    // MARK: Passkeys

    /// Its script creates the passkey and sends the form.
    func addPasskeyPage(_ options: CreationOptionsReply.Options, refusal: String? = nil) -> Page {
        let creation = HostedSignInView(visit: visit.visit).passkeyCreation(
            AccountPages.passkeyPath, visit.flow, options, hasAlarm: refusal == nil)
        var page = task(
            all.passkeyPage.add, of: AccountPages.securityPath, refusal: refusal,
            """
            \(HTML.noScript(all.passkeyPage.noScript))
            <p>\(texts.addPasskeyBody)</p>
            \(creation)
            """)
        page.script = ScriptFile.accountPasskey.onPage()
        page.script?.submitsForm = true
        page.usesPasskeys = true
        return page
    }

    func passkeyNamePage(_ passkey: AccountPasskey, name: String, isRefused: Bool = false) -> Page {
        namePage(
            all.passkeyPage.name, AccountPages.passkeyNamePath, id: Base64URL.encode(passkey.credentialID.bytes),
            name: name, isRefused: isRefused)
    }

    func factorNamePage(_ factor: SecondFactor, name: String, isRefused: Bool = false) -> Page {
        namePage(
            phoneTexts.factorName, AccountPages.factorNamePath, id: factor.id.rawValue, name: name,
            isRefused: isRefused)
    }

    private func namePage(
        _ label: String, _ path: String, id: String, name: String, isRefused: Bool
    ) -> Page {
        let field = PageField(id: "name", label: label) { field in
            field.maximumLength = AccountPasskey.maximumNameLength
            field.isRequired = true
            field.value = name
            field.error = isRefused ? phoneTexts.invalidName : nil
        }
        return task(
            label, of: AccountPages.securityPath, refusal: isRefused ? phoneTexts.invalidName : nil, field: "name",
            form(path, "\(HTML.hidden([("id", id)]))\(field.html)<p>\(HTML.button(texts.save))</p>"))
    }

    // MARK: Removals

    /// Asks, with the consequence.
    /// - Parameter isOnlyWay: nothing else signs in to the account, so this is not removed.
    func removalPage(_ removal: AccountRemoval, isOnlyWay: Bool) -> Page {
        let label = removal.kind == .provider ? texts.disconnect : all.passkeyPage.remove
        guard !isOnlyWay else {
            var page = task(removal.title(self), of: removal.kind.path, refusal: texts.onlyWayIn, "")
            page.content = "\(removal.name(self).map { HTML.value($0) })\(page.content)"
            return page
        }
        return task(
            removal.title(self), of: removal.kind.path,
            """
            \(removal.name(self).map { HTML.value($0) })
            <p id="consequence">\(removal.consequence(self))</p>
            \(form(
                AccountPages.removalPath,
                """
                \(HTML.hidden(AccountRemoval.items(removal.kind, removal.id)))
                \(HTML.button(label, .danger, describedBy: "consequence"))
                """))
            """)
    }
}

/// How a person adds an authenticator app: the picture of its key, and the first code. For every page that enrolls one.
struct TOTPEnrollmentView: Sendable {
    let texts: PageTexts
    let account: PageTexts.Account

    /// The key, shown once.
    func secret(_ started: MFATOTP.StartEnrollment.Reply) -> HTML {
        // The picture is drawn by the service, of numbers alone.
        let picture = started.qrCode.map { HTML(stringLiteral: $0.reveal()) }
        return """
            <p>\(account.scan)</p>
            <div class="qr" aria-hidden="true">\(picture)</div>
            <p><a href="\(started.keyURI.reveal())">\(texts.hostedSignIn.openApp)</a></p>
            <p>\(account.orKey)</p>
            <p class="value"><bdi dir="ltr">\(started.sharedSecretKey.reveal())</bdi></p>
            """
    }

    static let sessionField = "session"

    func fields(session: String, refusal: String? = nil) -> HTML {
        var field = PageField.code(id: "code", label: texts.hostedSignIn.codeLabel)
        field.error = refusal
        return """
            \(HTML.hidden([(Self.sessionField, session)]))
            \(field.html)
            <p>\(HTML.button(texts.hostedSignIn.confirm))</p>
            """
    }

    /// Shown once.
    func recoveryCodes(_ codes: [Secret<String>]) -> HTML {
        """
        \(HTML.note(.warn, "<p>\(account.keepCodes)</p>"))
        <ol class="codes" dir="ltr">\(codes.map { "<li>\($0.reveal())</li>" as HTML })</ol>
        """
    }
}
