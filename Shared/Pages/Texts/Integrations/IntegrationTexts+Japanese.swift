extension PageTexts.Integrations {
    static let japanese = PageTexts.Integrations(
        title: "連携",
        body: "ほかのプログラムが使うもの：Webhook、アプリ、バックエンドの鍵、プッシュ通知の鍵。",
        shownOnce: "今コピーしてください。二度と表示されません。",
        back: "連携に戻る",
        webhooks: "Webhook",
        webhooksBody: "署名付きリクエストが、アカウントに起きたことをお使いのサーバーに知らせます。",
        addWebhook: "Webhook を追加",
        webhookURL: "サーバーの URL",
        eventTypes: "イベントの種類",
        eventTypesHint: "1 行に 1 つ、例：account.created。空欄：すべて。",
        everyEvent: "すべてのイベント",
        working: "動作中",
        failing: "正しく応答しません",
        gone: "存在しないと応答しました",
        state: "状態",
        waiting: "待機中のイベント",
        dropped: "多すぎたため削除されたイベント",
        deliveries: "最新のイベント",
        noDeliveries: "まだイベントはありません。サーバーが応答するか、テストを送信して確かめてください。",
        pending: "待機中",
        delivered: "配信済み",
        failed: "失敗",
        attempts: "試行回数",
        problem: "問題",
        sendTest: "テストを送信",
        replay: "再送信",
        turnOff: "無効にする",
        turnOn: "有効にする",
        rotateSecret: .init(
            title: "新しいシークレット",
            body:
                "サーバーがイベントを受け入れるには新しいシークレットが必要です。以前のものも 1 日間は併せて署名します。"
        ),
        removeWebhook: .init(
            title: "この Webhook を削除",
            body:
                "待機中のイベントは削除され、サーバーには何も届かなくなります。元に戻せません。"
        ),
        applications: "アプリ",
        applicationsBody: "ログインページからユーザーを受け取ります。",
        addApplication: "アプリを追加",
        applicationName: "ユーザーに表示される名前",
        kind: "実行される場所",
        webKind: "ウェブページ",
        toolKind: "コマンドラインまたはデスクトップ",
        redirects: "ユーザーが戻れるアドレス",
        redirectsHint: "1 行に 1 つ。",
        clientID: "クライアント ID",
        removeApplication: .init(
            title: "このアプリを削除",
            body:
                "今後は誰もログインさせられません。元に戻せません。"
        ),
        clientConfiguration: "アプリ用の API キーとコード",
        clientConfigurationBody: "これは秘密ではありません。アプリのどのコピーにも含まれています。",
        apiKey: "API キー",
        show: "表示",
        serviceAccounts: "サービスアカウント",
        serviceAccountsBody: "この鍵でバックエンドがこのプロジェクトを管理します。",
        addServiceAccount: "鍵を作成",
        serviceAccountName: "アカウントの名前",
        serviceAccountNameHint: "小文字、数字、ハイフン。既存のアカウントには鍵が追加されます。",
        keyFile: "鍵ファイル",
        removeServiceAccount: .init(
            title: "この鍵を取り消す",
            body:
                "持っている人は何もできなくなり、アクセストークンもすぐに終了します。元に戻せません。"
        ),
        pushKeys: "Apple デバイスへのプッシュの鍵",
        pushKeysBody: "鍵のないアプリは、このインストールの鍵を使います。",
        addPushKey: "プッシュの鍵を追加",
        bundleID: "バンドル ID",
        keyID: "キー ID",
        teamID: "チーム ID",
        environment: "環境",
        everyEnvironment: "サンドボックスと本番",
        privateKey: "秘密鍵",
        privateKeyHint: "Apple の AuthKey_….p8 ファイルの内容。封印され、二度と表示されません。",
        removePushKey: .init(
            title: "この鍵を削除",
            body:
                "プッシュを送信しなくなります。アプリは別の鍵か確認ページを使います。元に戻せません。"
        ),
        functions: "ブロッキング関数",
        functionsBody: "登録やログインが行われる前に判断します。",
        beforeCreate: "新しいアカウントの前の関数",
        beforeSignIn: "ログインの前の関数",
        functionHint: "https の URL。応答までの時間は 7 秒。空欄：なし。",
        sendIDToken: "ID プロバイダーの ID トークンを送る",
        sendAccessToken: "ID プロバイダーのアクセストークンを送る",
        sendRefreshToken: "ID プロバイダーの更新トークンを送る",
        none: "まだありません。")
}
